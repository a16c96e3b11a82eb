import { formatExact, plural } from "#ground/base"
import type { BenchRecall, BenchScan, benchOperations, PairedDifference } from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import type { Renderers } from "./renderer.ts"

function renderRecall(it: BenchRecall, { paint }: Screen): string {
  const budgets = it.rankers[0]?.hunks.map((hunk) => hunk.budget) ?? []
  const head = ["", "r@10", "r@20", "MRR", ...budgets.map((budget) => `hunks ${kilo(budget)}`)]
  const rows = it.rankers.map((row) => [
    row.ranker,
    share(row.recallAt10),
    share(row.recallAt20),
    share(row.mrr),
    ...row.hunks.map((hunk) => share(hunk.recall)),
  ])
  const over = it.rankers.flatMap((row) => {
    if (row.overBm25 === null) return []
    const { recallAt10, recallAt20, mrr, hunks } = row.overBm25
    const differences = [recallAt10, recallAt20, mrr, ...hunks.map((hunk) => hunk.difference)]
    return [[row.ranker, ...differences.map(difference)]]
  })
  return [
    `${paint.bold(it.repository)} ${paint.muted(`${plural(it.files, "file")}, ${plural(it.tasks, "task")}`)}`,
    "",
    table([head, ...rows]),
    "",
    paint.bold("Against BM25, in points, with the 95 % interval"),
    table([head, ...over]),
    "",
    paint.muted(
      `Each task is a commit: its message in, its files as truth, the tree before it. ` +
        `${it.millisecondsPerTask.toFixed(0)} ms a task; ` +
        `${plural(it.tasksSkipped, "commit")} could not be a task.`,
    ),
  ].join("\n")
}

function renderBenchScan(it: BenchScan, { paint }: Screen): string {
  const head = ["", "wall s", "CPU s", "peak MB", "files/s", "MB/s", ""]
  const rows = it.rows.map((row) => [
    row.tool,
    figure(row.seconds, 2),
    figure(row.cpuSeconds, 2),
    figure(row.peakMegabytes, 0),
    figure(row.filesPerSecond, 0),
    figure(row.megabytesPerSecond, 1),
    paint.muted(row.note),
  ])
  const size = `${plural(it.files, "file")}, ${formatExact(it.lines)} lines, ${it.megabytes.toFixed(1)} MB`
  const changed =
    it.oneFileChangedMs === null
      ? []
      : [`One file changed: ${it.oneFileChangedMs.toFixed(0)} ms to an index equal to a clean one`]
  const compared =
    it.commitsCompared === 0
      ? []
      : [`${it.commitsEqual} of ${plural(it.commitsCompared, "commit")} equal to a clean index`]
  return [
    `${paint.bold(it.repository)} ${paint.muted(size)}`,
    "",
    table([head, ...rows]),
    ...(changed.length + compared.length === 0 ? [] : [""]),
    ...changed,
    ...compared,
  ].join("\n")
}

function share(value: number): string {
  return value.toFixed(3).replace(/^0/, "")
}

function difference({ mean, low, high }: PairedDifference): string {
  return `${points(mean)} [${points(low)}, ${points(high)}]`
}

function points(value: number): string {
  return `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`
}

function figure(value: number | null, digits: number): string {
  return value === null ? "" : value.toFixed(digits)
}

function kilo(tokens: number): string {
  return `${Math.round(tokens / 1_000)}k`
}

export const benchRenderers: Renderers<typeof benchOperations> = {
  recall: renderRecall,
  scan: { text: renderBenchScan, isGood: (it) => it.commitsEqual === it.commitsCompared },
}
