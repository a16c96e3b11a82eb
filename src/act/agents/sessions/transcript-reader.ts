import type { TokenUsage } from "#ground/contract"

type Line = Readonly<Record<string, unknown>>

/** What a transcript says of its session, as far as it was read. */
export type Facts = {
  sessionId: string | null
  cwd: string | null
  model: string | null
  version: string | null
  title: string | null
  usage: TokenUsage
  /** The host's own figure; null when it keeps none. */
  costUsd: number | null
  /** Lines that say nothing to a person. */
  skipped: number
}

export function newFacts(): Facts {
  return {
    sessionId: null,
    cwd: null,
    model: null,
    version: null,
    title: null,
    usage: NO_USAGE,
    costUsd: null,
    skipped: 0,
  }
}

export const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  }
}

/** A sub-agent whose own transcript lies beside, and the activity that called it. */
export type Child = { readonly agentId: string; readonly parentId: string }

/** A table's own entry: a file may well name a kind `constructor`. */
export function entryOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  name: unknown,
): Entry | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined
}

/** One kind of transcript, told line by line. */
export type TranscriptReader = {
  readonly facts: Facts
  line(line: Line, raw: string): void
  /** The sub-agent that has ended with this line. */
  childOf(line: Line): Child | undefined
  childLine(line: Line, raw: string, child: Child): void
}
