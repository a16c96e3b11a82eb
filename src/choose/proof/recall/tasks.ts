import { cleanMessage, readQuery } from "#know/search"
import { type Commit, classifyPath } from "#see/repo"
import { FEWEST_WORDS, MOST_CHANGED_FILES, MOST_TRUE_FILES } from "../limits.ts"

/** A commit of the past, taken as a task: its message is given, its files are to be found. */
export type Task = {
  readonly id: string
  /** The commit before it; the task is set on its tree. */
  readonly parent: string
  readonly text: string
  /** Source files that were there and that it modified. */
  readonly truth: readonly string[]
}

/** Which commits: those that numbers were tuned on, those that are reported, or both. */
export type Half = "tune" | "report" | "all"

export type ChosenTasks = {
  /** Newest first. */
  readonly tasks: readonly Task[]
  /** Commits of the half that could not be a task. */
  readonly skipped: number
}

/** Takes the commits newest first; of more tasks than are wanted, evenly spread ones. */
export function chooseTasks(
  commits: readonly Commit[],
  { half, most, isSource }: { readonly half: Half; readonly most: number } & SourceTest,
): ChosenTasks {
  const ofHalf = commits.filter((it) => half === "all" || halfOf(it.id) === half)
  const tasks = ofHalf.flatMap((it) => taskOf(it, isSource) ?? [])
  return { tasks: spread(tasks, most), skipped: ofHalf.length - tasks.length }
}

type SourceTest = { readonly isSource: (path: string) => boolean }

/** By the id, so that a commit is in the same half today and in a year. */
export function halfOf(commitId: string): Exclude<Half, "all"> {
  return Number.parseInt(commitId.slice(0, 2), 16) % 2 === 0 ? "tune" : "report"
}

/** Undefined for a merge, a sweep, a message that says nothing, or no source file modified. */
function taskOf(commit: Commit, isSource: SourceTest["isSource"]): Task | undefined {
  const [parent, ...others] = commit.parents
  if (parent === undefined || others.length > 0) return undefined
  const { changes } = commit
  if (changes === undefined || changes.length > MOST_CHANGED_FILES) return undefined
  const truth = changes.flatMap((it) =>
    it.kind === "modified" && isSource(it.path) ? it.path : [],
  )
  if (truth.length === 0 || truth.length > MOST_TRUE_FILES) return undefined
  const text = cleanMessage(commit.message)
  if (readQuery(text).terms.length < FEWEST_WORDS) return undefined
  return { id: commit.id, parent, text, truth }
}

/** Code that people wrote and that is no test: what a task is expected to find. */
export function isSourcePath(path: string, isCode: (path: string) => boolean): boolean {
  return classifyPath(path) === "source" && isCode(path)
}

function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  if (items.length <= most) return items
  return Array.from(
    { length: most },
    (_, at) => items[Math.floor((at * items.length) / most)],
  ).filter((it) => it !== undefined)
}
