import type { AnyOperation, Input } from "./client.ts"

/** Every key of the cache is built here, so that `live-cache.ts` can find what it must touch. */
export const keys = {
  session: ["session"] as const,
  operations: ["operations"] as const,
  events: (name: string) => ["events.list", { name }] as const,
  allEvents: ["events.list"] as const,
  operation: <Name extends AnyOperation>(name: Name, input: Input<Name>) => [name, input] as const,
  anyInput: (name: AnyOperation) => [name] as const,
}
