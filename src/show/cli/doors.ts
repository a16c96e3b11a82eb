import type { DoctorCheck } from "#ground/contract"
import type { App } from "#show/app"

/** What a door is told about the command that leads to it. */
export type DoorCall = {
  readonly app: App
  readonly input: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
  readonly signal: AbortSignal
  say(text: string): void
}

/** Another way into the product. The command line leads to it without knowing it. */
export type Door = (call: DoorCall) => Promise<number>

/** Handed in where the house is put together (`src/show/main.ts`). */
export type Doors = {
  readonly up: Door
  readonly open: Door
  readonly token: Door
  readonly mcp: Door
  readonly hook: Door
  readonly keep: Door
  attack(places: App["places"]): Promise<readonly DoctorCheck[]>
}

export const DOOR_NAMES = ["up", "open", "token", "mcp", "hook", "keep"] as const
export type DoorName = (typeof DOOR_NAMES)[number]

export function isDoor(operation: string): operation is DoorName {
  return DOOR_NAMES.some((it) => it === operation)
}
