import type { DoctorCheck } from "#ground/contract"
import type { App } from "#show/app"

export type EntryCall = {
  readonly app: App
  readonly input: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
  readonly signal: AbortSignal
  /** Opens another repository of this user. */
  openApp?(directory: string): Promise<App>
  /** Shows in the terminal's title how many approvals wait. */
  showWaiting?(repository: string, waiting: number): void
  say(text: string): void
}

/** Another surface; `main.ts` passes it in. */
type EntryPoint = (call: EntryCall) => Promise<number>

export type EntryPoints = {
  readonly up: EntryPoint
  readonly open: EntryPoint
  readonly token: EntryPoint
  readonly mcp: EntryPoint
  readonly acp: EntryPoint
  readonly hook: EntryPoint
  readonly statusline: EntryPoint
  readonly keep: EntryPoint
  attack(places: App["places"]): Promise<readonly DoctorCheck[]>
}

const ENTRY_NAMES = ["up", "open", "token", "mcp", "acp", "hook", "statusline", "keep"] as const
export type EntryName = (typeof ENTRY_NAMES)[number]

export function isEntryPoint(operation: string): operation is EntryName {
  return ENTRY_NAMES.some((it) => it === operation)
}
