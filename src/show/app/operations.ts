import {
  type Agents,
  agentsOperations,
  type PermissionRules,
  permissionsOperations,
} from "#act/agents"
import { type Clock, invariant, type Log, type Random, readTextBounded } from "#ground/base"
import type { Config, DoctorCheck, Operation } from "#ground/contract"
import { type Store, type StoreLocation, storeOperations } from "#ground/store"
import { type Tokens, tokensOperations } from "#ground/tokens"
import { captureIn } from "./capture.ts"
import type { LoadedConfig } from "./config.ts"
import { configOperations } from "./config-operations.ts"
import { doctorOperations, examine } from "./doctor.ts"
import { FileUnreadable } from "./errors.ts"
import { COUNTED_FILE_LIMIT_BYTES } from "./limits.ts"
import { nowOperations } from "./now.ts"
import type { Places } from "./places.ts"
import { findProviders } from "./providers.ts"
import { sayUnreadable } from "./unreadable.ts"

/** What operations stand on. Everything that may fail or cost time is a function. */
export type OperationDeps = {
  places(): Places
  environment(): Readonly<Record<string, string | undefined>>
  loaded(): LoadedConfig
  reload(): Promise<void>
  attack(): Promise<readonly DoctorCheck[]>
  config(): Config
  location(): StoreLocation
  store(): Promise<Store>
  agents(): Promise<Agents>
  permissions(): PermissionRules
  /** A path as the person gave it, made absolute. */
  resolve(path: string): string
  readonly tokens: Pick<Tokens, "counter">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Everything the product can do, in one list. A room's operations join here. */
export function operationTable(deps: OperationDeps): readonly Operation[] {
  const { tokens } = deps
  return [
    ...agentsOperations({
      agents: deps.agents,
      providers: () => findProviders(deps),
      keepRule: async (approval) => void (await deps.permissions().always(approval)),
    }),
    ...permissionsOperations(deps),
    ...captureIn(deps, tokens.counter),
    ...configOperations(deps),
    ...doctorOperations(deps),
    ...nowOperations({ ...deps, examine: () => examine(deps) }),
    ...storeOperations(deps),
    ...tokensOperations({
      tokens,
      window: () => deps.config().tokens.window,
      read: (path) => readForCounting(path, deps),
    }),
  ]
}

/** The table as a description: for the reference and the command index, which run nothing. */
export function describeOperations(): readonly Operation[] {
  const never = (): never => {
    invariant(false, "a described operation is never run")
  }
  const clock: Clock = { now: never, monotonicMs: never, sleep: never }
  const log: Log = { debug: never, info: never, warn: never, error: never }
  return operationTable({
    places: never,
    environment: never,
    loaded: never,
    reload: never,
    attack: never,
    config: never,
    location: never,
    store: never,
    agents: never,
    permissions: never,
    resolve: never,
    tokens: { counter: never },
    clock,
    random: { bytes: never },
    log,
  })
}

async function readForCounting(given: string, deps: OperationDeps) {
  const file = deps.resolve(given)
  const outcome = await readTextBounded(file, { maxBytes: COUNTED_FILE_LIMIT_BYTES })
  if (outcome.kind === "read") return { text: outcome.text, sizeBytes: outcome.bytes.length }
  const reason = sayUnreadable(outcome, COUNTED_FILE_LIMIT_BYTES)
  throw FileUnreadable({ path: given, reason })
}
