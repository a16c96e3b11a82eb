import { formatExact, plural } from "#ground/base"
import type {
  BenchIssues,
  BenchLines,
  BenchMemory,
  BenchRecall,
  BenchScan,
  benchOperations,
  IssueRanker,
  PairedDifference,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import type { Renderers } from "./renderer.ts"

function renderRecall(recall: BenchRecall, { paint, width }: Screen): string {
  const budgets = recall.rankers[0]?.hunks.map((hunk) => hunk.budget) ?? []
  const head = [
    "Ranker",
    "r@10",
    "r@20",
    "MRR",
    ...budgets.map((budget) => `hunks ${kilo(budget)}`),
  ]
  const rows = recall.rankers.map((row) => [
    row.ranker,
    share(row.recallAt10),
    share(row.recallAt20),
    share(row.mrr),
    ...row.hunks.map((hunk) => share(hunk.recall)),
  ])
  const over = recall.rankers.flatMap((row) => {
    if (row.overBm25 === null) return []
    const { recallAt10, recallAt20, mrr, hunks } = row.overBm25
    const differences = [recallAt10, recallAt20, mrr, ...hunks.map((hunk) => hunk.difference)]
    return [[row.ranker, ...differences.map(difference)]]
  })
  return [
    `${paint.bold(recall.repository)} ${paint.muted(`${plural(recall.files, "file")}, ${plural(recall.tasks, "task")}`)}`,
    "",
    table([head, ...rows], { width }),
    "",
    paint.bold("Difference from BM25 in percentage points, with 95 % interval"),
    table([head, ...over], { width }),
    "",
    paint.muted(
      `Each task is a past commit: its message is the task, its files are the expected result. ` +
        `${recall.millisecondsPerTask.toFixed(0)} ms per task; skipped ${plural(recall.tasksSkipped, "commit")}.`,
    ),
    ...missingLine(recall, paint),
  ].join("\n")
}

function renderIssues(issues: BenchIssues, { paint, width }: Screen): string {
  return [
    runTitle(issues, paint),
    "",
    ...accuracyTables(issues.rankers, { paint, width }),
    "",
    paint.muted("acc@k: all expected files are in the first k; r@k: the share of them that is."),
    ...skippedLine(issues, paint),
    ...missingLine(issues, paint),
  ].join("\n")
}

function accuracyTables(
  rankers: readonly IssueRanker[],
  { paint, width }: Pick<Screen, "paint" | "width">,
): readonly string[] {
  const ranks = rankers[0]?.accuracy.map((one) => one.rank) ?? []
  const head = [
    "Ranker",
    ...ranks.map((rank) => `acc@${rank}`),
    ...ranks.map((rank) => `r@${rank}`),
    "MRR",
  ]
  const rows = rankers.map((row) => [
    row.ranker,
    ...[...row.accuracy, ...row.recall].map((one) => share(one.value)),
    share(row.mrr),
  ])
  const over = rankers.flatMap((row) => {
    if (row.overBm25 === null) return []
    return [[row.ranker, ...row.overBm25.accuracy.map((one) => difference(one.difference))]]
  })
  return [
    table([head, ...rows], { width }),
    "",
    paint.bold("Difference from BM25 in percentage points, with 95 % interval"),
    table([["Ranker", ...ranks.map((rank) => `acc@${rank}`)], ...over], { width }),
  ]
}

function renderMemory(memory: BenchMemory, { paint, width }: Screen): string {
  const size = `${plural(memory.memories, "memory", "memories")} in ${plural(memory.sets, "set")}, ${memory.millisecondsPerQuestion.toFixed(1)} ms per question`
  return [
    `${paint.bold(plural(memory.questions, "question"))} ${paint.muted(size)}`,
    "",
    ...accuracyTables(memory.rankers, { paint, width }),
    "",
    paint.muted("acc@k: all evidence is in the first k memories; r@k: the share of it that is."),
    ...skippedLine(memory, paint),
  ].join("\n")
}

function renderLines(lines: BenchLines, { paint, width }: Screen): string {
  const head = ["Ranker", "cap", "recall", "precision", "F1", "right files", "files", "tokens"]
  const rows = lines.results.map((row) => [
    row.ranker,
    kilo(row.budget),
    share(row.recall),
    share(row.precision),
    share(row.f1),
    share(row.filePrecision),
    row.files.toFixed(1),
    formatExact(Math.round(row.tokens)),
  ])
  return [
    runTitle(lines, paint),
    "",
    table([head, ...rows], { width }),
    "",
    paint.muted(
      "Recall and precision of expected lines; right files: share of the files that are expected.",
    ),
    ...skippedLine(lines, paint),
    ...missingLine(lines, paint),
  ].join("\n")
}

type BenchRun = Pick<BenchIssues, "tasks" | "repositories" | "skipped" | "millisecondsPerTask">

function runTitle(benchRun: BenchRun, paint: Screen["paint"]): string {
  const size = `${plural(benchRun.repositories, "repository", "repositories")}, ${benchRun.millisecondsPerTask.toFixed(0)} ms per task`
  return `${paint.bold(plural(benchRun.tasks, "task"))} ${paint.muted(size)}`
}

function skippedLine(
  { skipped }: Pick<BenchRun, "skipped">,
  paint: Screen["paint"],
): readonly string[] {
  if (skipped.length === 0) return []
  const parts = skipped.map(({ reason, tasks }) => `${tasks} (${reason})`)
  return [paint.muted(`Skipped: ${parts.join(", ")}.`)]
}

function missingLine(
  { missingPeers }: Pick<BenchIssues, "missingPeers">,
  paint: Screen["paint"],
): readonly string[] {
  return missingPeers.length === 0
    ? []
    : [paint.muted(`Not installed: ${missingPeers.join(", ")}.`)]
}

function renderBenchScan(scan: BenchScan, { paint, width }: Screen): string {
  const head = ["Tool", "wall s", "CPU s", "peak MB", "files/s", "MB/s", "Note"]
  const rows = scan.rows.map((row) => [
    row.tool,
    figure(row.seconds, 2),
    figure(row.cpuSeconds, 2),
    figure(row.peakMegabytes, 0),
    figure(row.filesPerSecond, 0),
    figure(row.megabytesPerSecond, 1),
    paint.muted(row.note),
  ])
  const size = `${plural(scan.files, "file")}, ${formatExact(scan.lines)} lines, ${scan.megabytes.toFixed(1)} MB`
  const changed =
    scan.oneFileChangedMs === null
      ? []
      : [`After one changed file: index up to date in ${scan.oneFileChangedMs.toFixed(0)} ms`]
  const compared =
    scan.commitsCompared === 0
      ? []
      : [`${scan.commitsEqual} of ${plural(scan.commitsCompared, "commit")} equal to a fresh index`]
  return [
    `${paint.bold(scan.repository)} ${paint.muted(size)}`,
    "",
    table([head, ...rows], { width }),
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
  issues: renderIssues,
  lines: renderLines,
  memory: renderMemory,
  scan: { text: renderBenchScan, isGood: (it) => it.commitsEqual === it.commitsCompared },
}
