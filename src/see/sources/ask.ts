import {
  type Clock,
  type Environment,
  invariant,
  isAppError,
  type Log,
  pickEnvironment,
  visibleLine,
} from "#ground/base"
import type { createApprovals } from "./approvals.ts"
import {
  type Connections,
  type Deadline,
  type SourceState,
  startDeadline,
  TimeIsOver,
} from "./connections.ts"
import type { Usable } from "./describe/describe.ts"
import {
  SourceFailed,
  SourceNotApproved,
  SourceResting,
  SourceTimedOut,
  SourceToolMissing,
  SourceWithoutCredential,
} from "./errors.ts"
import type { Logins } from "./oauth/logins.ts"
import type { createStatuses } from "./status.ts"
import { openApi } from "./wire/api.ts"
import { type AskOptions, type Connection, connect, ServerRefused } from "./wire/connection.ts"
import { httpWire, sseWire } from "./wire/http.ts"
import { stdioWire } from "./wire/stdio.ts"

const SLOW_MS = 5_000

const LONGEST_REASON_CHARACTERS = 300

type AskDeps = {
  readonly connections: Connections
  readonly approvals: ReturnType<typeof createApprovals>
  readonly logins: Pick<Logins, "accessToken" | "authFor">
  readonly statuses: Pick<ReturnType<typeof createStatuses>, "put">
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
  credential(name: string): Promise<string | undefined>
  redact(text: string): Promise<string>
}

type Work<Result> = (connection: Connection, options: AskOptions) => Promise<Result>

type AskRequest = {
  readonly signal: AbortSignal
  /** A test by the user ignores the pause. */
  readonly isForced?: boolean
}

export function createAsk(deps: AskDeps) {
  const { connections, clock, log } = deps

  async function attempt<Result>(source: Usable, deadline: Deadline, work: Work<Result>) {
    const { timeoutMs } = source.config
    const state = connections.of(source.slug, source.digest)
    const open = (signal: AbortSignal) => openConnection(source, signal, deps)
    const connection = await deadline.within(state.connection.get({ open, timeoutMs }))
    state.tools = connection.tools.map((it) => it.name)
    await requireSameTools(source, { connection, state, deps })
    try {
      return await deadline.within(work(connection, { signal: deadline.signal, timeoutMs }))
    } catch (error) {
      const problem = connection.isOver() ? connection.problem() : undefined
      throw problem === undefined || isAppError(error)
        ? error
        : new Error(problem, { cause: error })
    }
  }

  return async function ask<Result>(
    source: Usable,
    { signal, isForced }: AskRequest,
    work: Work<Result>,
  ): Promise<Result> {
    const { slug, config } = source
    signal.throwIfAborted()
    await requireApproved(source, deps)
    const state = connections.of(slug, source.digest)
    const restMs = isForced === true ? 0 : state.circuit.restMs()
    if (restMs > 0) throw resting(slug, restMs, state)
    const startedMs = clock.monotonicMs()
    using deadline = startDeadline(clock, config.timeoutMs, signal)
    try {
      const result = await state.connection.whileBusy(() => attempt(source, deadline, work))
      const ms = clock.monotonicMs() - startedMs
      state.circuit.succeeded()
      state.health = ms > SLOW_MS ? "slow" : "ok"
      state.problem = null
      log.debug("source responded", { slug, ms: Math.round(ms) })
      await remember(source, state, deps)
      return result
    } catch (error) {
      // Aborted by the caller: not a failure of the source.
      if (signal.aborted) throw error
      throw await failed(error, { source, state, deps })
    }
  }
}

async function requireApproved(
  { slug, origin, digest, command }: Usable,
  { approvals, connections }: AskDeps,
): Promise<void> {
  if (origin === "shipped" || (await approvals.find(slug, digest)) !== undefined) return
  const why = connections.find(slug)?.health === "unapproved" ? CHANGED_TOOLS : "is not approved"
  throw SourceNotApproved({ slug, command, why })
}

const CHANGED_TOOLS = "has different tools than when it was approved"

type ToolCheck = {
  readonly connection: Connection
  readonly state: SourceState
  readonly deps: AskDeps
}

/** Models read tool descriptions: another list is another source. */
async function requireSameTools(
  { slug, origin, digest, command }: Usable,
  { connection, state, deps }: ToolCheck,
): Promise<void> {
  if (origin === "shipped") return
  const approval = await deps.approvals.find(slug, digest)
  if (approval?.tools === connection.toolsDigest) return
  if (approval?.tools === null) {
    await deps.approvals.put({ ...approval, tools: connection.toolsDigest })
    return
  }
  if (approval !== undefined) await deps.approvals.drop(approval)
  state.connection.hangUp()
  state.health = "unapproved"
  state.problem = `It ${CHANGED_TOOLS}. Approve it again to use it.`
  throw SourceNotApproved({ slug, command, why: CHANGED_TOOLS })
}

function resting(slug: string, restMs: number, state: SourceState) {
  const seconds = Math.ceil(restMs / 1_000)
  return SourceResting({ slug, seconds, problem: state.problem ?? "" })
}

type FailureContext = {
  readonly source: Usable
  readonly state: SourceState
  readonly deps: AskDeps
}

async function failed(error: unknown, { source, state, deps }: FailureContext): Promise<Error> {
  const { slug, config } = source
  // Not the server's fault: not approved, a missing key, or an unknown tool.
  if (isAppError(error)) return error
  state.circuit.failed()
  // A server that responds is alive: other requests on the connection continue.
  if (!(error instanceof ServerRefused)) state.connection.hangUp()
  const { timeoutMs } = config
  const failure =
    error instanceof TimeIsOver
      ? SourceTimedOut({ slug, timeoutMs }, error)
      : SourceFailed({ slug, reason: await reasonIn(error, deps) })
  state.health = "dead"
  state.problem = failure.message
  await remember(source, state, deps)
  deps.log.warn("source failed", { slug, code: failure.code })
  return failure
}

/** For other processes, which then show it without a call of their own. */
async function remember(source: Usable, state: SourceState, deps: AskDeps): Promise<void> {
  const { slug, digest } = source
  const { health, problem, tools } = state
  await deps.statuses.put({ slug, digest, health, problem, tools: tools?.slice() ?? null })
}

/** Without the cause itself: its text is the server's and not redacted. */
async function reasonIn(error: unknown, { redact }: AskDeps): Promise<string> {
  const messages = error instanceof Error ? [error.message, causeOf(error)] : [String(error)]
  const text = await redact(messages.filter((it) => it !== "").join(": "))
  const line = visibleLine(text.trim()).slice(0, LONGEST_REASON_CHARACTERS)
  return line.toWellFormed().replace(/\.$/, "")
}

/**
 * `fetch failed` alone is useless; its cause has the system's message.
 */
function causeOf({ message, cause }: Error): string {
  return message === "fetch failed" && cause instanceof Error ? cause.message : ""
}

type LineDeps = {
  readonly logins: Pick<Logins, "accessToken" | "authFor">
  readonly environment: Readonly<Record<string, string | undefined>>
  credential(name: string): Promise<string | undefined>
}

async function openConnection(
  source: Usable,
  signal: AbortSignal,
  deps: LineDeps,
): Promise<Connection> {
  const { slug, config, program } = source
  const { transport, timeoutMs } = config
  if (transport.type === "stdio") {
    invariant(program !== undefined, "a stdio source has a program")
    const env = await environmentFor(transport.env, deps)
    return connect(stdioWire(program, env), { signal, timeoutMs })
  }
  const { url, credential: name, oauth } = transport
  const wire = transport.type === "sse" ? sseWire : httpWire
  if (oauth !== undefined) {
    const login = { slug, url, oauth }
    // A missing sign-in is an error before anything is sent.
    await deps.logins.accessToken(login)
    const auth = deps.logins.authFor(login)
    if (transport.type === "api") return openApi(transport, { kind: "login", auth })
    return connect(wire({ url, auth }), { signal, timeoutMs })
  }
  const read = async (): Promise<string> => {
    const token = name === undefined ? "" : await deps.credential(name)
    if (token === undefined) throw SourceWithoutCredential({ slug, name: name ?? "" })
    return token
  }
  const token = name === undefined ? undefined : await read()
  if (transport.type === "api") {
    return openApi(transport, name === undefined ? { kind: "none" } : { kind: "key", read })
  }
  return connect(wire({ url, token }), { signal, timeoutMs })
}

/** Variables that any program needs to start, on Unix and on Windows; none contains a key. */
const EVERYWHERE: readonly string[] = (
  "PATH HOME USER LOGNAME LANG LC_ALL TZ TMPDIR " +
  "Path PATHEXT SystemRoot ComSpec USERPROFILE APPDATA LOCALAPPDATA TEMP TMP"
).split(" ")

/**
 * The basics, and the variables named in the config. An unset one is read from the credentials, as
 * `brave-api-key` for `BRAVE_API_KEY`.
 */
async function environmentFor(
  names: readonly string[],
  deps: {
    readonly environment: Readonly<Record<string, string | undefined>>
    credential(name: string): Promise<string | undefined>
  },
): Promise<Environment> {
  const variables = pickEnvironment(deps.environment, [...EVERYWHERE, ...names])
  const missing = names.filter((name) => variables[name] === undefined)
  const credentials = await Promise.all(
    missing.map(async (name) => [name, await deps.credential(credentialNameOf(name))] as const),
  )
  return { ...variables, ...pickEnvironment(Object.fromEntries(credentials), missing) }
}

function credentialNameOf(variable: string): string {
  return variable.toLowerCase().replaceAll("_", "-")
}

export function requireTool(slug: string, tool: string, connection: Connection): void {
  const isThere = connection.tools.some((it) => it.name === tool)
  if (!isThere) throw toolMissing(slug, tool, connection)
}

export function toolMissing(slug: string, tool: string, { tools }: Connection) {
  const has = tools.map((it) => it.name).join(", ")
  return SourceToolMissing({ slug, tool, has: has.slice(0, 100) || "none" })
}
