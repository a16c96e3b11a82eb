import type { HookEvent, Verdict } from "#choose/guard"
import type { KitHost } from "#ground/contract"
import type { Fields } from "./fields.ts"

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
  hear(call: HostCall): HostEvent | undefined
  /** Undefined where silence says the same. */
  say(eventName: string | undefined, verdict: Verdict): HookAnswer | undefined
}
