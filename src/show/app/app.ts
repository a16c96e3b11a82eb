import type { Agents, PermissionRules } from "#act/agents"
import type { ProxiedHost } from "#act/gateway"
import type { Pipelines } from "#act/pipeline"
import type { Fold } from "#choose/fold"
import {
  importValidators,
  isAppError,
  isRecord,
  type Log,
  StorageFull,
  statFile,
} from "#ground/base"
import { type CallContext, type Config, describeIssue, type Operation } from "#ground/contract"
import type { People } from "#ground/people"
import type { Credentials } from "#ground/secrets"
import { type Store, StoreNotWritable } from "#ground/store"
import { InputInvalid } from "./errors.ts"
import { type ExtraOperations, groupOf, type OperationTable, operationTable } from "./operations.ts"
import type { RepositoryPaths } from "./places.ts"
import type { HostSessionRequest } from "./rooms/gateway.ts"
import { noticeCredentials } from "./secrets/known-secrets.ts"
import { endLongTexts, hasLongTexts } from "./secrets/long-texts.ts"
import { type CallOperation, openServices, type ServiceOptions, type Services } from "./services.ts"

export type AppOptions = ServiceOptions & {
  readonly extra?: ExtraOperations
}

export type App = AsyncDisposable & {
  readonly places: RepositoryPaths
  operations(): Promise<readonly Operation[]>
  /** Throws for an unknown name. */
  operation(name: string): Promise<Operation>
  readonly log: Log
  config(): Config
  /** Whether no file, environment variable or flag sets it. */
  isDefault(key: string): boolean
  store(): Promise<Store>
  /** Whether there is no store yet, in a folder where a command that reads must not create one. */
  hasNoState(): Promise<boolean>
  agents(): Promise<Agents>
  permissions(): Promise<PermissionRules>
  people(): Promise<People>
  credentials(): Promise<Credentials>
  fold(): Promise<Fold>
  /** Opens a proxied session for a host process that is about to start. */
  proxySession(wanted: HostSessionRequest): Promise<ProxiedHost>
  pipelines(): Promise<Pipelines>
  /** For texts that no room has redacted. */
  redact(text: string): Promise<string>
  /** Parses the input, runs the handler, parses the output and logs one line. */
  readonly call: CallOperation
}

/**
 * The product for one repository and one user. Nothing is opened until an operation needs it, so
 * `config check` and `doctor` also work with a broken config, an unreachable database or a full
 * disk.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const { services, isDefault, close } = await openServices(options, (...args) => call(...args))
  const operations = operationTable(services, options.extra)
  const call: CallOperation = async (name, input, context) => {
    await noticeCredentials(services)
    // A server must notice that the user corrected the file that it refused.
    if (services.loaded().problems.length > 0) await services.reload()
    const handled = await operations.find(name)
    const { operation } = handled
    const callHere = () => callOperation({ ...handled, input, context }, services)
    const person = context.caller?.person
    if (person !== undefined) {
      const { callForPerson } = await import("./person-call.ts")
      return callForPerson({ operation, input, context, person }, callHere, services)
    }
    if (operation.effect !== "read" || options.storeMode === "copy") return callHere()
    const callCopy = async () => {
      await using copy = await createApp({ ...options, storeMode: "copy", watchesTree: false })
      return await copy.call(name, input, context)
    }
    if (await hasNoState(services)) return callCopy()
    return callHere().catch((error: unknown) => {
      const reason = whyCopied(error)
      if (reason === undefined) throw error
      services.log.warn(`${reason}: answered from a copy of the store`, { name })
      return callCopy()
    })
  }
  return {
    places: services.places(),
    operations: operations.all,
    operation: async (name) => (await operations.find(name)).operation,
    log: services.log,
    config: services.config,
    isDefault,
    store: services.store,
    hasNoState: () => hasNoState(services),
    agents: services.agents,
    permissions: services.permissions,
    people: services.people,
    credentials: services.credentials,
    fold: services.fold,
    proxySession: async (request) =>
      (await import("./rooms/gateway.ts")).proxyHost(request, services),
    pipelines: services.pipelines,
    redact: async (text) => (await services.secrets()).redact(text).text,
    call,
    async [Symbol.asyncDispose]() {
      await endLongTexts(services.places())
      await close()
    },
  }
}

/** A command that reads needs no write, but SQLite does: a log and shared memory beside the file. */
function whyCopied(error: unknown): string | undefined {
  if (StorageFull.is(error)) return "disk full"
  return StoreNotWritable.is(error) ? "the store cannot be written" : undefined
}

/** Without git the state is in the user's folder, where a command that reads creates nothing. */
async function hasNoState({ places, loaded }: Services): Promise<boolean> {
  const { repository, database } = places()
  // Also with a broken config, which `config()` would refuse here before the operation explains it.
  const isElsewhere = loaded().config.store.databaseUrl !== ""
  if (isElsewhere || repository.gitCommonDirectory !== undefined) return false
  return (await statFile(database)).kind === "missing"
}

type Call = Awaited<ReturnType<OperationTable["find"]>> & {
  readonly input: unknown
  readonly context: CallContext
}

type CallDeps = Pick<Services, "clock" | "log" | "secrets">

/** Names are stored and shown as they are. A value of the environment may be one by chance. */
async function refuseSecretName(
  operation: string,
  input: unknown,
  deps: Pick<CallDeps, "secrets">,
): Promise<void> {
  for (const key of ["name", "slug"]) {
    const name = isRecord(input) ? input[key] : undefined
    if (typeof name !== "string" || name.length < SHORTEST_SECRET_NAME) continue
    const { findings } = (await deps.secrets()).redact(name)
    const kind = findings.find((it) => it.kind !== "variable")?.kind
    if (kind === undefined) continue
    throw InputInvalid({ operation, problem: `${key} contains a secret (${kind})` })
  }
}

/** No secret that a rule finds without its context is shorter; most names need no redactor. */
const SHORTEST_SECRET_NAME = 16

async function callOperation(call: Call, deps: CallDeps): Promise<unknown> {
  const { operation, context } = call
  const startedMs = deps.clock.monotonicMs()
  const elapsedMs = (): number => Math.round(deps.clock.monotonicMs() - startedMs)
  try {
    const compiled = await importValidators(groupOf(operation.name))
    const tryParse = (side: "input" | "output", value: unknown) =>
      compiled[`${operation.name} ${side}`]?.(value)
    const input = tryParse("input", call.input) ?? parseInput(operation, call.input)
    const person = context.caller?.person
    if (person !== undefined) (await import("#ground/people")).refuseRole(operation, input, person)
    if (operation.effect === "write") await refuseSecretName(operation.name, input, deps)
    using _ = hasLongTexts(input) ? await (await deps.secrets()).prepare(input) : undefined
    const returned = await call.run(input, context)
    const output = tryParse("output", returned) ?? operation.output.parse(returned)
    deps.log.info("operation done", { name: operation.name, ms: elapsedMs() })
    return output
  } catch (error) {
    const code = isAppError(error) ? error.code : "BUG"
    deps.log.info("operation failed", { name: operation.name, ms: elapsedMs(), code })
    throw error
  }
}

function parseInput(operation: Operation, input: unknown): unknown {
  const parsed = operation.input.safeParse(input)
  if (parsed.success) return parsed.data
  const problem = parsed.error.issues.map((it) => describeIssue(it, { input })).join("; ")
  throw InputInvalid({ operation: operation.name, problem })
}
