import type { BenchRecall, CallContext, Config, RankerResult } from "#ground/contract"
import type { TokenCounter } from "#ground/tokens"
import { createMeanings } from "#know/map"
import type { Ranker } from "#know/search"
import { type Bench, pastOf } from "../bench.ts"
import { TooFewTasks } from "../errors.ts"
import { bm25, type Contender, type Outcome, pageRank } from "./contenders.ts"
import {
  hunkRecall,
  mean,
  measureRanking,
  pairedDifference,
  type RankMeasures,
  truthInPackage,
} from "./metrics.ts"
import { NO_PEERS, openPeers } from "./peer-contenders.ts"
import { FILLED, OURS, ours, VARIANTS } from "./qm-variants.ts"
import {
  chooseTasks,
  createMemory,
  isSourcePath,
  type SetTask,
  setTask,
  type TaskHalf,
} from "./tasks.ts"

/** Enough for 150 tasks in each half of a repository where few commits touch code. */
const MOST_LOOKED_AT_COMMITS = 3_000

export type RecallInput = {
  readonly tasks: number
  readonly budget: number
  readonly half: TaskHalf
  readonly ablation: boolean
  readonly peers: boolean
}

type RecallParts = {
  readonly bench: Bench
  readonly ranker: Ranker
  readonly counter: TokenCounter
  readonly settings: Config["pack"]
  readonly monotonicMs: () => number
  readonly searchPath: string
}

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
  const { searchPath, counter } = parts
  const without = bench.repository.root
  await using peers = input.peers
    ? await openPeers({ searchPath, without, countTokens: counter.count, signal })
    : NO_PEERS
  const columns = columnsFor(input, parts, peers.contenders)
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
    missingPeers: [...peers.missing],
    millisecondsPerTask: (parts.monotonicMs() - startedAtMs) / measuredTasks,
  }
}

type Column = { readonly contender: Contender; readonly measured: TaskMeasures[] }

function columnsFor(
  input: RecallInput,
  parts: RecallParts,
  peers: readonly Contender[],
): readonly Column[] {
  const { ranker, counter, settings } = parts
  const plain = { ...ranker, table: undefined }
  const ourParts = {
    settings,
    countTokens: counter.count,
    mostTokens: Math.max(...budgetsAround(input.budget)),
    meaningOf: createMeanings(ranker),
  }
  const variants = input.ablation ? [OURS, FILLED, ...VARIANTS] : [OURS, FILLED]
  const contenders = [
    bm25(plain, counter.count),
    pageRank(counter.count),
    ...peers,
    ...variants.map((it) =>
      ours(it, { ...ourParts, ranker: it.withMeaning === true ? ranker : plain }),
    ),
  ]
  return contenders.map((contender) => ({ contender, measured: [] }))
}

type TaskMeasures = RankMeasures & {
  readonly hunks: readonly number[]
  readonly truthInBudget: number
}

function budgetsAround(budgetTokens: number): readonly number[] {
  return [Math.floor(budgetTokens / 2), budgetTokens, budgetTokens * 2]
}

async function measureOutcome(
  { truth, edited }: SetTask,
  outcome: Outcome,
  budgetTokens: number,
): Promise<TaskMeasures> {
  const hunks: number[] = []
  let truthInBudget = 0
  for (const budget of budgetsAround(budgetTokens)) {
    const { lines } = await outcome.pack(budget)
    hunks.push(hunkRecall(lines, edited))
    if (budget === budgetTokens) truthInBudget = truthInPackage(lines, truth)
  }
  return { ...measureRanking(outcome.ranked, truth), hunks, truthInBudget }
}

function resultsOf(columns: readonly Column[], budgetTokens: number): readonly RankerResult[] {
  const base = columns[0]?.measured ?? []
  const budgets = budgetsAround(budgetTokens)
  return columns.map(({ contender, measured }, index) => {
    const column = (of: (it: TaskMeasures) => number) => mean(measured.map(of))
    const paired = (of: (it: TaskMeasures) => number) =>
      pairedDifference(measured.map(of), base.map(of))
    const hunksAt = (at: number) => (it: TaskMeasures) => it.hunks[at] ?? 0
    return {
      ranker: contender.name,
      recallAt10: column((it) => it.recallAt10),
      recallAt20: column((it) => it.recallAt20),
      mrr: column((it) => it.mrr),
      hunks: budgets.map((budget, at) => ({ budget, recall: column(hunksAt(at)) })),
      truthInBudget: column((it) => it.truthInBudget),
      overBm25:
        index === 0
          ? null
          : {
              recallAt10: paired((it) => it.recallAt10),
              recallAt20: paired((it) => it.recallAt20),
              mrr: paired((it) => it.mrr),
              hunks: budgets.map((budget, at) => ({ budget, difference: paired(hunksAt(at)) })),
            },
    }
  })
}
