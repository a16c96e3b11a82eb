import type { BenchLines, CallContext, LineResult } from "#ground/contract"
import { createMeanings } from "#know/map"
import { NoIssueMeasured } from "../errors.ts"
import { bm25, type Contender } from "../recall/contenders.ts"
import type { LineRange } from "../recall/hunks.ts"
import { mean, type PackedText } from "../recall/metrics.ts"
import { NO_PEERS } from "../recall/peer-contenders.ts"
import { FILLED, OURS, ours } from "../recall/qm-variants.ts"
import type { SetTask } from "../recall/tasks.ts"
import { type IssueInput, visitIssues } from "./issue-runs.ts"
import { type IssueParts, peersFor } from "./issues.ts"

const BUDGETS = [1_000, 2_000, 4_000, 8_000, 16_000] as const

type LineMeasures = Omit<LineResult, "ranker" | "budget">

type LineRow = {
  readonly contender: Contender
  readonly budget: number
  readonly measured: LineMeasures[]
}

export async function measureLines(
  input: IssueInput & { readonly peers: boolean },
  parts: IssueParts,
  context: CallContext,
): Promise<BenchLines> {
  const { ranker, counter, settings, deps } = parts
  await using peers = input.peers ? await peersFor(input, parts, context) : NO_PEERS
  const ourParts = {
    ranker,
    settings,
    countTokens: counter.count,
    mostTokens: Math.max(...BUDGETS),
    meaningOf: createMeanings(ranker),
  }
  const contenders = [
    bm25(ranker, counter.count),
    ours(OURS, ourParts),
    ours(FILLED, ourParts),
    ...peers.contenders,
  ]
  const rows = contenders.flatMap((contender) =>
    BUDGETS.map((budget): LineRow => ({ contender, budget, measured: [] })),
  )
  const run = await visitIssues(input, deps, {
    ...context,
    async visit(set) {
      if (set.edited.length === 0) return
      for (const contender of contenders) {
        const outcome = await contender.run(set)
        for (const row of rows.filter((it) => it.contender === contender)) {
          const packed = await outcome.pack(row.budget)
          row.measured.push(measurePackage(packed, set.edited))
        }
      }
    },
  })
  const tasks = rows[0]?.measured.length ?? 0
  if (tasks === 0) throw NoIssueMeasured({ tasks: run.tasks, reason: "none has gold_lines" })
  const results = rows.map(({ contender, budget, measured }) => ({
    ranker: contender.name,
    budget,
    ...meanOf(measured),
  }))
  return { ...run, tasks, results, missingPeers: [...peers.missing] }
}

export function measurePackage(
  { lines, tokens }: PackedText,
  edited: SetTask["edited"],
): LineMeasures {
  const expected = new Map(edited.map(({ path, hunks }) => [path, linesIn(hunks)]))
  let [matchCount, sent] = [0, 0]
  for (const [path, ranges] of lines) {
    const gold = expected.get(path)
    for (const line of linesIn(ranges)) {
      sent++
      if (gold?.has(line) === true) matchCount++
    }
  }
  const total = [...expected.values()].reduce((sum, it) => sum + it.size, 0)
  const recall = total === 0 ? 0 : matchCount / total
  const precision = sent === 0 ? 0 : matchCount / sent
  const shown = [...lines].filter(([, ranges]) => ranges.length > 0)
  const right = shown.filter(([path]) => expected.has(path)).length
  return {
    recall,
    precision,
    f1: matchCount === 0 ? 0 : (2 * recall * precision) / (recall + precision),
    filePrecision: shown.length === 0 ? 0 : right / shown.length,
    files: shown.length,
    tokens,
  }
}

function linesIn(ranges: readonly LineRange[]): ReadonlySet<number> {
  const lines = new Set<number>()
  for (const { fromLine, toLine } of ranges) {
    for (let line = fromLine; line <= toLine; line++) lines.add(line)
  }
  return lines
}

function meanOf(measured: readonly LineMeasures[]): LineMeasures {
  const column = (of: (it: LineMeasures) => number) => mean(measured.map(of))
  return {
    recall: column((it) => it.recall),
    precision: column((it) => it.precision),
    f1: column((it) => it.f1),
    filePrecision: column((it) => it.filePrecision),
    files: column((it) => it.files),
    tokens: column((it) => it.tokens),
  }
}
