import { formatExact, visibleLine } from "#ground/base"
import { type ContextPack, type PackFile } from "#ground/contract"
import { LONGEST_SHOWN_TASK_UNITS } from "../limits.ts"
import { cleanLine } from "./clean.ts"
import { adviceLine } from "./opening.ts"

export type SummaryLimits = {
  readonly maxTokens: number
  readonly count: (text: string) => number
}

/** What hooks inject: which files and why, without their text, within its own limit. */
export function renderSummary(pack: ContextPack, limits: SummaryLimits): string {
  const top = topOf(pack, limits)
  const files = ["### Key Files", ...pack.files.map(fileLine)]
  const edges = ["### Dependencies", ...pack.dependencies.map(edgeLine)]
  const hasEdges = pack.dependencies.length > 0
  // A quarter is kept for edges: files alone do not say how they hang together.
  const share = hasEdges ? KEPT_FOR_FILES : 1
  const filesRoom = { ...limits, maxTokens: Math.floor(limits.maxTokens * share) }
  const withFiles = pack.files.length > 0 ? extended(top, files, filesRoom) : top
  return hasEdges ? extended(withFiles, edges, limits) : withFiles
}

const KEPT_FOR_FILES = 0.75

/** The head of it; the task is cut further where the limit is small. */
function topOf(pack: ContextPack, { maxTokens, count }: SummaryLimits): string {
  const advice = pack.advice.map(adviceLine)
  for (const [units, said] of [
    [LONGEST_SHOWN_TASK_UNITS, advice],
    [LONGEST_SHOWN_TASK_UNITS / 4, []],
  ] as const) {
    const top = headLines(pack, cleanLine(pack.task, units), said)
    if (count(top) <= maxTokens) return top
  }
  return headLines(pack, cleanLine(pack.task, 10), [])
}

function headLines(pack: ContextPack, task: string, advice: readonly string[]): string {
  const sent = pack.files.length
  const lines = [
    "## Context Package",
    "",
    `Task: ${task}`,
    pack.isEmpty
      ? `Files included: none. ${pack.emptyReason ?? ""}`.trim()
      : `Files included: ${sent} (${formatExact(pack.tokens)} tokens)`,
    `Budget: ${formatExact(pack.budget)} tokens`,
    ...advice,
  ]
  return `${lines.join("\n")}\n`
}

/** As many lines as fit, in their order; a section of a title alone is none. */
function extended(text: string, lines: readonly string[], limits: SummaryLimits): string {
  const textWith = (most: number) => `${text}\n${lines.slice(0, most).join("\n")}\n`
  let low = 1
  let high = lines.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (limits.count(textWith(middle)) <= limits.maxTokens) low = middle
    else high = middle - 1
  }
  return low > 1 && limits.count(textWith(low)) <= limits.maxTokens ? textWith(low) : text
}

function fileLine(file: PackFile): string {
  const symbols = file.symbols.length === 0 ? "" : `: ${file.symbols.join(", ")}`
  const what = file.sentBefore ? "sent before" : file.form
  const relevance = `relevance ${file.score.toFixed(2)}, ${what}`
  return cleanLine(
    `- ${visibleLine(file.path)} (${relevance})${symbols}`,
    LONGEST_SUMMARY_LINE_UNITS,
  )
}

function edgeLine({ from, to, names }: ContextPack["dependencies"][number]): string {
  const edge = `- ${visibleLine(from)} -> ${visibleLine(to)} (${names.join(", ")})`
  return cleanLine(edge, LONGEST_SUMMARY_LINE_UNITS)
}

const LONGEST_SUMMARY_LINE_UNITS = 400
