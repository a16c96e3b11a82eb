import type { AnyOperation, Input } from "./client.ts"

/** Builds every key of the cache, so that `live-cache.ts` finds the queries that it must update. */
export const keys = {
  session: ["session"] as const,
  operations: ["operations"] as const,
  events: (name: string) => ["events.list", { name }] as const,
  allEvents: ["events.list"] as const,
  operation: <Name extends AnyOperation>(name: Name, input: Input<Name>) => [name, input] as const,
  anyInput: (name: AnyOperation) => [name] as const,
}
