import type { MemoryKind, MemoryState } from "../contract.ts"
import { formatSearch, oneOf } from "./search.ts"

/** The kinds and states of the contract, in its order; a test holds them together. */
export const KINDS_OF_MEMORY = [
  "strategy",
  "pitfall",
  "decision",
  "rule",
  "term",
  "fix",
] as const satisfies readonly MemoryKind[]
export const STATES_OF_MEMORY = [
  "proposed",
  "confirmed",
  "superseded",
  "stale",
] as const satisfies readonly MemoryState[]

export type MemoryAddress = {
  /** What is looked for; empty for the list. */
  readonly text: string
  readonly kind: MemoryKind | null
  readonly state: MemoryState | null
  /** Id of the selected memory. */
  readonly at: string
  /** Id of the memory that stands beside the list; empty for none. */
  readonly show: string
  /** The form that adds one stands there instead. */
  readonly add: boolean
}

export function parseMemory(search: string): MemoryAddress {
  const query = new URLSearchParams(search)
  return {
    text: query.get("text") ?? "",
    kind: oneOf(KINDS_OF_MEMORY, query.get("kind")) ?? null,
    state: oneOf(STATES_OF_MEMORY, query.get("state")) ?? null,
    at: query.get("at") ?? "",
    show: query.get("show") ?? "",
    add: query.get("add") === "yes",
  }
}

export function formatMemory({ add, ...rest }: Partial<MemoryAddress>): string {
  const { text, kind, state, at, show } = rest
  return formatSearch({ text, kind, state, at, show, add: add === true ? "yes" : "" })
}
