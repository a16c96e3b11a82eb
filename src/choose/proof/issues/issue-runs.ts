import { isAppError } from "#ground/base"
import type { CallContext } from "#ground/contract"
import { type Bench, type BenchDeps, openBench } from "../bench.ts"
import { NoIssueMeasured } from "../errors.ts"
import {
  createMemory,
  indexTask,
  isSourcePath,
  type SetTask,
  type TaskHalf,
} from "../recall/tasks.ts"
import { chooseIssues, findRepository, type IssueRow, readIssueRows } from "./issue-tasks.ts"

export type IssueInput = {
  readonly file: string
  readonly repos: string
  readonly tasks: number
  readonly half: TaskHalf
}

export type IssueDeps = BenchDeps & { readonly resolve: (directory: string) => string }

type IssueVisit = (set: SetTask, row: IssueRow) => Promise<void>

type IssueRun = {
  readonly tasks: number
  readonly repositories: number
  readonly skipped: { reason: string; tasks: number }[]
  readonly millisecondsPerTask: number
}

/** Calls `visit` with the tree of each task's commit; what cannot be measured is counted. */
export async function visitIssues(
  input: IssueInput,
  deps: IssueDeps,
  context: CallContext & { readonly visit: IssueVisit },
): Promise<IssueRun> {
  const rows = await readIssueRows(deps.resolve(input.file))
  const groups = chooseIssues(rows, { half: input.half, most: input.tasks })
  const total = [...groups.values()].reduce((sum, it) => sum + it.length, 0)
  const skipped = new Map<string, number>()
  const skip = (reason: string, count: number) =>
    skipped.set(reason, (skipped.get(reason) ?? 0) + count)
  const startedAtMs = deps.clock.monotonicMs()
  let [doneCount, measured, repositories] = [0, 0, 0]
  for (const [repo, ofRepository] of groups) {
    const directory = await findRepository(deps.resolve(input.repos), repo)
    if (directory === undefined) {
      skip("no such repository", ofRepository.length)
      doneCount += ofRepository.length
      continue
    }
    await using bench = await openBench(directory, deps, context.signal)
    const before = measured
    for await (const set of setIssues(bench, ofRepository, context.signal)) {
      context.onProgress?.({ what: "tasks", done: doneCount++, total })
      if ("reason" in set) skip(set.reason, 1)
      else {
        await context.visit(set.set, set.row)
        measured++
      }
    }
    if (measured > before) repositories++
  }
  const [first] = skipped.keys()
  if (measured === 0)
    throw NoIssueMeasured({ tasks: total, reason: first ?? "the file has no task" })
  return {
    tasks: measured,
    repositories,
    skipped: [...skipped].map(([reason, tasks]) => ({ reason, tasks })),
    millisecondsPerTask: (deps.clock.monotonicMs() - startedAtMs) / measured,
  }
}

type IssueSet = { readonly set: SetTask; readonly row: IssueRow } | { readonly reason: string }

async function* setIssues(
  bench: Bench,
  rows: readonly IssueRow[],
  signal: AbortSignal,
): AsyncGenerator<IssueSet> {
  const { git } = bench
  if ("problem" in git) {
    for (const _ of rows) yield { reason: "the repository cannot be read" }
    return
  }
  const isSource = (path: string) => isSourcePath(path, (it) => bench.isCode(it))
  await using fresh = await bench.freshIndex()
  const setting = { git, index: fresh.index, isSource, remember: createMemory(), signal }
  for (const row of rows) {
    signal.throwIfAborted()
    const task = { id: row.id, parent: row.commit, text: row.text, truth: row.files }
    const set = await indexTask(task, setting).catch(unreadable)
    if (set === "unreadable") yield { reason: "its commit cannot be read" }
    else if (set === undefined) yield { reason: "none of its files is source code of that commit" }
    else yield { set: { ...set, edited: editedOf(row, set.truth) }, row }
  }
}

function unreadable(error: unknown): "unreadable" {
  if (isAppError(error)) return "unreadable"
  throw error
}

function editedOf({ lines }: IssueRow, truth: ReadonlySet<string>): SetTask["edited"] {
  return [...lines].flatMap(([path, hunks]) => (truth.has(path) ? [{ path, hunks }] : []))
}
