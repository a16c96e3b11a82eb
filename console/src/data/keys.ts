import type { QueryClient } from "@tanstack/react-query"
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

/** Makes the answers of these operations stale; those on the screen are read again. */
export function invalidateOperations(queries: QueryClient, names: readonly AnyOperation[]): void {
  for (const name of names) void queries.invalidateQueries({ queryKey: keys.anyInput(name) })
}
