import type { BenchRecall, CallContext, Config } from "#ground/contract"
import type { TokenCounter } from "#ground/tokens"
import { createMeanings } from "#know/map"
import type { Ranker } from "#know/search"
import { type Bench, pastOf } from "../bench.ts"
import { TooFewTasks } from "../errors.ts"
import { MOST_LOOKED_AT_COMMITS } from "../limits.ts"
import { bm25, pageRank } from "./baselines.ts"
import type { Contender } from "./contender.ts"
import { OURS, ours, VARIANTS } from "./ours.ts"
import { createMemory } from "./remember.ts"
import { budgetsAround, measureOutcome, resultsOf, type TaskMeasures } from "./results.ts"
import { chooseTasks, type Half, isSourcePath } from "./tasks.ts"
import { setTask } from "./tree.ts"

export type RecallInput = {
  readonly tasks: number
  readonly budget: number
  readonly half: Half
  readonly ablation: boolean
}

export type RecallParts = {
  readonly bench: Bench
  /** With its table where all signals are compared. */
  readonly ranker: Ranker
  readonly counter: TokenCounter
  readonly settings: Config["pack"]
  readonly monotonicMs: () => number
}

/** Sets the tasks one after the other and measures every contender on each. */
export async function measureRecall(
  input: RecallInput,
  parts: RecallParts,
  { signal, onProgress }: CallContext,
): Promise<Omit<BenchRecall, "repository">> {
  const { bench } = parts
  const { git, head } = await pastOf(bench)
  const isSource = (path: string) => isSourcePath(path, (it) => bench.isCode(it))
  const commits = await git.history({ from: head, limit: MOST_LOOKED_AT_COMMITS })
  const { half, budget } = input
  const { tasks, skipped } = chooseTasks(commits, { half, most: input.tasks, isSource })
  await using fresh = await bench.freshIndex()
  const setting = { git, index: fresh.index, isSource, remember: createMemory(), signal }
  const columns = columnsFor(input, parts)
  const startedAtMs = parts.monotonicMs()
  let files = 0
  for (const [done, task] of tasks.entries()) {
    signal.throwIfAborted()
    onProgress?.({ what: "tasks", done, total: tasks.length })
    const set = await setTask(task, setting)
    if (set === undefined) continue
    if (files === 0) files = set.tree.files.length
    for (const { contender, measured } of columns) {
      measured.push(await measureOutcome(set, await contender.run(set), budget))
    }
  }
  const measuredTasks = columns[0]?.measured.length ?? 0
  if (measuredTasks === 0) throw TooFewTasks({ commits: commits.length, half })
  return {
    head,
    files,
    tasks: measuredTasks,
    tasksSkipped: skipped + tasks.length - measuredTasks,
    budget,
    rankers: [...resultsOf(columns, budget)],
    millisecondsPerTask: (parts.monotonicMs() - startedAtMs) / measuredTasks,
  }
}

type Column = { readonly contender: Contender; readonly measured: TaskMeasures[] }

/** BM25 first: the others are compared with it. */
function columnsFor(input: RecallInput, parts: RecallParts): readonly Column[] {
  const { ranker, counter, settings } = parts
  const plain = { ...ranker, table: undefined }
  const ourParts = {
    settings,
    countTokens: counter.count,
    mostTokens: Math.max(...budgetsAround(input.budget)),
    meaningOf: createMeanings(ranker),
  }
  const variants = input.ablation ? [OURS, ...VARIANTS] : [OURS]
  const contenders = [
    bm25(plain, counter.count),
    pageRank(counter.count),
    ...variants.map((it) =>
      ours(it, { ...ourParts, ranker: it.withMeaning === true ? ranker : plain }),
    ),
  ]
  return contenders.map((contender) => ({ contender, measured: [] }))
}
