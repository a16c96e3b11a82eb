import { benchHandlers } from "#choose/proof"
import type { OperationDeps } from "../operations.ts"

/** Measurements of the product, on any repository the person names. */
export function openBenchHandlers(deps: OperationDeps) {
  return benchHandlers({
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    // Asked for when something is measured: a table that is only described has none.
    get environment() {
      return deps.environment()
    },
    counter: deps.tokens.counter,
    settings: () => deps.config().pack,
    resolve: deps.resolve,
  })
}
