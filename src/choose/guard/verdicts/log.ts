import { join } from "node:path"
import type { VerdictLine } from "#ground/contract"
import { LARGEST_VERDICT_LINE_BYTES, LONGEST_VERDICT_UNITS } from "../limits.ts"
import { appendIn } from "../said.ts"

/** One line for an event, in the file of its day. Nobody rests on it, so no disk is waited for. */
export async function appendVerdict(stateDirectory: string, line: VerdictLine): Promise<void> {
  const folder = verdictFolder(stateDirectory)
  const file = join(folder, `${dayOf(line.at)}.jsonl`)
  await appendIn(folder, file, boundedLine(line))
}

export function verdictFolder(stateDirectory: string): string {
  return join(stateDirectory, "verdicts")
}

/** By the clock of Greenwich, so that a journey does not tear a day apart. */
export function dayOf(at: number): string {
  const moment = Number.isFinite(at) ? Math.min(Math.max(at, 0), LATEST_MOMENT_MS) : 0
  return new Date(moment).toISOString().slice(0, 10)
}

/** The last of the year 9999: later ones have a sign before them, and names would not be in order. */
const LATEST_MOMENT_MS = Date.UTC(10_000, 0, 1) - 1

function boundedLine(line: VerdictLine): VerdictLine {
  let bounded = {
    ...line,
    session: cut(line.session),
    tool: line.tool === null ? null : cut(line.tool),
    text: cut(line.text),
  }
  // A patch may touch very many files; the first of them are kept.
  while (bounded.paths.length > 0 && sizeOf(bounded) > LARGEST_VERDICT_LINE_BYTES) {
    bounded = { ...bounded, paths: bounded.paths.slice(0, Math.floor(bounded.paths.length / 2)) }
  }
  return bounded
}

function cut(text: string): string {
  if (text.length <= LONGEST_VERDICT_UNITS) return text
  return text.slice(0, LONGEST_VERDICT_UNITS).replace(/[\uD800-\uDBFF]$/, "")
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
