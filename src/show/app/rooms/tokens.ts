import { createTokens, type Tokens } from "#ground/tokens"
import type { OperationDeps } from "../operations.ts"
import { preparedTables } from "./prepared-tables.ts"

type Deps = Pick<OperationDeps, "config" | "places" | "log">

/** The encoding comes from the config, and loading it costs 20 ms and more: only when asked. */
export function lazyTokens(deps: Deps): Pick<Tokens, "counter"> {
  const made = new Map<string, Tokens>()
  return {
    counter: () => {
      const { encoding } = deps.config().tokens
      const prepared = preparedTables(deps.places().home, deps.log)
      const tokens = made.get(encoding) ?? createTokens({ encoding, prepared })
      made.set(encoding, tokens)
      return tokens.counter()
    },
  }
}
