import type { HookEvent, Verdict } from "#choose/guard"
import { isRecord, type JsonRecord } from "#ground/base"
import type { KitHost } from "#ground/contract"

/** What a host tells a hook. Each dialect looks for the fields it knows and is ready for any other. */
export type HookPayload = Fields

/** What a host is told, in the host's own words. */
export type HookAnswer = Readonly<Record<string, unknown>>

/** One event, with what the command line adds to the payload. */
export type HostCall = {
  readonly payload: HookPayload
  /** For a host whose payload does not say which event it is. */
  readonly eventName: string | undefined
  /** Where the hook runs, for a host that does not say where it does. */
  readonly directory: string
  readonly at: number
}

/** An event whose paths are as the host gave them: absolute, or from the event's directory. */
export type HostEvent = HookEvent

/** How one host speaks. Both functions are pure. */
export type Dialect = {
  readonly host: KitHost
  /** Undefined for an event that is nobody's business here, and for a payload that is none. */
  parse(call: HostCall): HostEvent | undefined
  /** Undefined where silence says the same. */
  format(eventName: string | undefined, verdict: Verdict): HookAnswer | undefined
}

/** How deep text is looked for in what a tool answered; theirs have three or four levels. */
const DEEPEST_TEXT_LEVELS = 12

/** A payload, or a part of one: whatever a host wrote. */
export type Fields = JsonRecord

/** A text with something in it; undefined for all else. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

/** An object; an empty one where there is none. */
export function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name]
  return isRecord(value) ? value : {}
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}

/** How much text lies in a value, however a tool has wrapped it. */
export function textUnitsOf(value: unknown, levels = DEEPEST_TEXT_LEVELS): number {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null || levels === 0) return 0
  return Object.values(value).reduce<number>((sum, it) => sum + textUnitsOf(it, levels - 1), 0)
}
