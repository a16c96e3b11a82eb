import type { JsonRecord } from "#ground/base"
import type { TokenUsage } from "#ground/contract"

export type SessionFacts = {
  sessionId: string | null
  cwd: string | null
  model: string | null
  version: string | null
  title: string | null
  usage: TokenUsage
  /** Parts of `usage`; under "" if the line names no model. */
  usageByModel: ReadonlyMap<string, TokenUsage>
  /** The window at the last request. */
  context: { readonly used: number; readonly window: number } | null
  /** As the host reports it. */
  costUsd: number | null
  skipped: number
}

export const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function newFacts(): SessionFacts {
  return {
    sessionId: null,
    cwd: null,
    model: null,
    version: null,
    title: null,
    usage: NO_USAGE,
    usageByModel: new Map(),
    context: null,
    costUsd: null,
    skipped: 0,
  }
}

export type SubAgent = { readonly agentId: string; readonly parentId: string }

export type TranscriptReader = {
  readonly facts: SessionFacts
  line(line: JsonRecord, raw: string): void
  endedSubAgent(line: JsonRecord): SubAgent | undefined
  subAgentLine(line: JsonRecord, raw: string, subAgent: SubAgent): void
}

/** Own properties only: a file may name a kind `constructor`. */
export function entryOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  name: unknown,
): Entry | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined
}
