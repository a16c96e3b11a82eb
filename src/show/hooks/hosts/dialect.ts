import type { HookEvent, Verdict } from "#choose/guard"
import { estimateTokens, isRecord, type JsonRecord } from "#ground/base"
import type { KitHost } from "#ground/contract"

export type HookPayload = Fields

export type HookAnswer = Readonly<Record<string, unknown>>

export type HostCall = {
  readonly payload: HookPayload
  readonly eventName: string | undefined
  readonly directory: string
  readonly at: number
}

/** With paths as the host sent them: absolute, or relative to the event's directory. */
export type HostEvent = HookEvent

export type Dialect = {
  readonly host: KitHost
  /** Undefined for an irrelevant event and for an invalid payload. */
  parse(call: HostCall): HostEvent | undefined
  /** Undefined when no answer means the same. */
  format(eventName: string | undefined, verdict: Verdict): HookAnswer | string | undefined
}

/** How deep text is looked for in a tool's output; known hosts use three or four levels. */
const DEEPEST_TEXT_LEVELS = 12

export type Fields = JsonRecord

export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

export function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name]
  return isRecord(value) ? value : {}
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

/** Estimated: counting would load tables for longer than a hook may run. */
export function tokensOf(
  value: unknown,
  encoding: Parameters<typeof estimateTokens>[1],
  levels = DEEPEST_TEXT_LEVELS,
): number {
  if (typeof value === "string") return estimateTokens(value, encoding)
  if (typeof value !== "object" || value === null || levels === 0) return 0
  const parts = Object.values(value)
  return parts.reduce<number>((sum, it) => sum + tokensOf(it, encoding, levels - 1), 0)
}
