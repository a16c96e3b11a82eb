import { z } from "zod"
import { Guideline, type PackAdvice } from "#ground/contract"
import { GuidelinesInvalid } from "../errors.ts"
import { MOST_GUIDELINES } from "../limits.ts"
import {
  appliesTo,
  byPriority,
  isSaid,
  verdictOf,
  type WorkFacts,
  withinUnits,
} from "./evaluate.ts"

export type KnownGuideline = Guideline & { readonly origin: string }

/** Work inside the package; never for reviewers, who must be free to look around. */
const CONTEXT_PACKAGE_ENFORCEMENT: KnownGuideline = {
  id: "context-package-enforcement",
  title: "Work inside the context package",
  category: "context_constraint",
  priority: 750,
  isAdvisory: true,
  isEnabled: true,
  when: {
    agents: ["backend", "frontend", "implementer"],
    notAgents: ["reviewer"],
    actions: ["implement", "code", "fix", "refactor", "test"],
  },
  actions: [
    {
      type: "constraint",
      text:
        "Work inside this context package. When something is missing, report the gap " +
        "rather than search the whole repository.",
    },
  ],
  origin: "default",
}

const GuidelineFile = z.strictObject({ guidelines: z.array(Guideline).max(MOST_GUIDELINES) })

export type GuidelineText = { readonly path: string; readonly text: string }

/** Those we bring, and those of the file; one of the file replaces ours of the same name. */
export function readGuidelines(file: GuidelineText | undefined): readonly KnownGuideline[] {
  const own = file === undefined ? [] : parseFile(file)
  const byId = new Map([CONTEXT_PACKAGE_ENFORCEMENT, ...own].map((it) => [it.id, it]))
  return [...byId.values()].toSorted(byPriority)
}

function parseFile({ path, text }: GuidelineText): readonly KnownGuideline[] {
  const parsed = GuidelineFile.safeParse(jsonIn(path, text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue === undefined || issue.path.length === 0 ? "the file" : issue.path.join(".")
    throw GuidelinesInvalid({ path, field, wrong: issue?.message ?? "not as described" })
  }
  const { guidelines } = parsed.data
  const ids = guidelines.map((it) => it.id)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice >= 0) {
    const field = `guidelines.${twice}.id`
    throw GuidelinesInvalid({ path, field, wrong: `${ids[twice] ?? ""} is there twice` })
  }
  return guidelines.map((it) => ({ ...it, origin: path }))
}

function jsonIn(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (cause) {
    throw GuidelinesInvalid({ path, field: "the file", wrong: "it is no JSON" }, cause)
  }
}

/** Advice for a package: instructions and constraints that apply, the most important first. */
export function adviceFor(
  guidelines: readonly KnownGuideline[],
  facts: WorkFacts,
): readonly PackAdvice[] {
  const applying = guidelines.filter((it) => appliesTo(it, facts)).toSorted(byPriority)
  return withinUnits(
    applying.flatMap(({ id, actions }) =>
      actions.filter(isSaid).map(({ text }) => ({ guideline: id, text })),
    ),
  )
}

/** Guidelines by what is asked; a fact that is not given leaves its condition open. */
export function listGuidelines(guidelines: readonly KnownGuideline[], facts: WorkFacts) {
  const isAsked = Object.values(facts).some((it) => it !== undefined)
  const listed = isAsked ? guidelines.filter((it) => appliesTo(it, facts, "holds")) : guidelines
  return {
    guidelines: [...listed],
    verdict: verdictOf(listed.filter((it) => it.isEnabled)),
  }
}
