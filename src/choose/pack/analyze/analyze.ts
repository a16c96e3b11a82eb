import type { TaskAction, TaskAnalysis } from "#ground/contract"
import { readQuery } from "#know/search"
import { LONGEST_TASK_UNITS, MOST_KEYWORDS } from "../limits.ts"
import { type Domain, domainOf } from "./domains.ts"
import { findNames } from "./names.ts"
import { findPaths } from "./paths.ts"

/** What a task says by its text alone. Each pattern is bounded, so that reading stays linear. */
export function analyzeTask(
  task: string,
  options: { readonly domains: readonly Domain[]; readonly domain?: string | undefined },
): TaskAnalysis {
  const text = task.slice(0, LONGEST_TASK_UNITS)
  const { filePaths, rest } = findPaths(text)
  const keywords = readQuery(text).terms.slice(0, MOST_KEYWORDS)
  return {
    filePaths: [...filePaths],
    symbolNames: [...findNames(rest)],
    domain: options.domain ?? domainOf({ filePaths, keywords }, options.domains) ?? null,
    action: actionOf(text) ?? null,
    keywords,
  }
}

/** The first of these verbs decides: "fix the test" is a fix. */
function actionOf(text: string): TaskAction | undefined {
  for (const [word] of text.matchAll(/[A-Za-z]{2,20}/g)) {
    const action = ACTION_BY_WORD.get(word.toLowerCase())
    if (action !== undefined) return action
  }
  return undefined
}

const VERBS: Readonly<Record<TaskAction, string>> = {
  implement:
    "implement implements implemented implementing implementation create creates created creating build builds building add adds added adding",
  fix: "fix fixes fixed fixing bugfix debug debugs debugging resolve resolves resolved resolving",
  review: "review reviews reviewed reviewing inspect inspects inspecting check checks checking",
  test: "test tests tested testing verify verifies verifying validate validates validating",
  refactor:
    "refactor refactors refactored refactoring clean cleans cleaning cleanup improve improves improved improving",
}

const ACTION_BY_WORD: ReadonlyMap<string, TaskAction> = new Map(
  (["implement", "fix", "review", "test", "refactor"] as const).flatMap((action) =>
    VERBS[action].split(" ").map((word) => [word, action] as const),
  ),
)
