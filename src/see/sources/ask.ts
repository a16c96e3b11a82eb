import {
  type Clock,
  type Environment,
  isAppError,
  type Log,
  pickEnvironment,
  visibleLine,
} from "#ground/base"
import type { createApprovals } from "./approvals.ts"
import {
  type Deadline,
  type Keeper,
  type Standing,
  startDeadline,
  TimeIsOver,
} from "./connections.ts"
import type { Usable } from "./describe.ts"
import {
  SourceFailed,
  SourceNotApproved,
  SourceResting,
  SourceTimedOut,
  SourceToolMissing,
  SourceWithoutCredential,
} from "./errors.ts"
import { type AskOptions, type Connection, connect, ServerRefused } from "./wire/connection.ts"
import { httpWire } from "./wire/http.ts"
import { stdioWire } from "./wire/stdio.ts"

/** An answer that takes longer than this is told as slow. */
const SLOW_MS = 5_000

const LONGEST_REASON_CHARACTERS = 300

type AskingDeps = {
  readonly keeper: Keeper
  readonly approvals: ReturnType<typeof createApprovals>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
  credential(name: string): Promise<string | undefined>
  redact(text: string): Promise<string>
}

type Work<Result> = (connection: Connection, options: AskOptions) => Promise<Result>

type Asked = {
  readonly signal: AbortSignal
  /** A person who tests a source does not wait for its rest to be over. */
  readonly isForced?: boolean
}

/** One question to one source: approved, within its time, and with its failures counted. */
export function createAsking(deps: AskingDeps) {
  const { keeper, clock, log } = deps

  async function attempt<Result>(source: Usable, deadline: Deadline, work: Work<Result>) {
    const { timeoutMs } = source.config
    const standing = keeper.of(source.slug, source.digest)
    const open = (signal: AbortSignal) => openLine(source, signal, deps)
    const connection = await deadline.within(standing.line.get({ open, timeoutMs }))
    standing.tools = connection.tools.map((it) => it.name)
    await requireSameTools(source, { connection, standing, deps })
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
    { signal, isForced }: Asked,
    work: Work<Result>,
  ): Promise<Result> {
    const { slug, config } = source
    signal.throwIfAborted()
    await requireApproved(source, deps)
    const standing = keeper.of(slug, source.digest)
    const restMs = isForced === true ? 0 : standing.circuit.restMs()
    if (restMs > 0) throw resting(slug, restMs, standing)
    const startedMs = clock.monotonicMs()
    using deadline = startDeadline(clock, config.timeoutMs, signal)
    try {
      const result = await standing.line.whileBusy(() => attempt(source, deadline, work))
      const ms = clock.monotonicMs() - startedMs
      standing.circuit.succeeded()
      Object.assign(standing, { health: ms > SLOW_MS ? "slow" : "ok", problem: null })
      log.debug("source answered", { slug, ms: Math.round(ms) })
      return result
    } catch (error) {
      // Taken back by whoever asked: that says nothing about the source.
      if (signal.aborted) throw error
      throw await failed(error, { source, standing, deps })
    }
  }
}

async function requireApproved(
  { slug, origin, digest, command }: Usable,
  { approvals, keeper }: AskingDeps,
): Promise<void> {
  if (origin === "shipped" || (await approvals.find(slug, digest)) !== undefined) return
  const why = keeper.find(slug)?.health === "unapproved" ? CHANGED_TOOLS : "is not approved"
  throw SourceNotApproved({ slug, command, why })
}

const CHANGED_TOOLS = "has other tools than when it was approved"

type Seen = {
  readonly connection: Connection
  readonly standing: Standing
  readonly deps: AskingDeps
}

/** What a tool says of itself is read by models: another list is another source. */
async function requireSameTools(
  { slug, origin, digest, command }: Usable,
  { connection, standing, deps }: Seen,
): Promise<void> {
  if (origin === "shipped") return
  const approval = await deps.approvals.find(slug, digest)
  if (approval?.tools === connection.toolsDigest) return
  if (approval?.tools === null) {
    await deps.approvals.put({ ...approval, tools: connection.toolsDigest })
    return
  }
  if (approval !== undefined) await deps.approvals.drop(approval)
  standing.line.hangUp()
  standing.health = "unapproved"
  standing.problem = `It ${CHANGED_TOOLS}: approve it again to go on.`
  throw SourceNotApproved({ slug, command, why: CHANGED_TOOLS })
}

function resting(slug: string, restMs: number, standing: Standing) {
  const seconds = Math.ceil(restMs / 1_000)
  return SourceResting({ slug, seconds, problem: standing.problem ?? "" })
}

type Failing = {
  readonly source: Usable
  readonly standing: Standing
  readonly deps: AskingDeps
}

/** Counts it, ends what is left of the line, and says which source it was. */
async function failed(error: unknown, { source, standing, deps }: Failing): Promise<Error> {
  const { slug, config } = source
  // Not the server's doing: it was not allowed, lacks a key, or was asked for what it has not.
  if (isAppError(error)) return error
  standing.circuit.failed()
  // One that answers is alive: the questions of others on the same line go on.
  if (!(error instanceof ServerRefused)) standing.line.hangUp()
  const { timeoutMs } = config
  const failure =
    error instanceof TimeIsOver
      ? SourceTimedOut({ slug, timeoutMs }, error)
      : SourceFailed({ slug, reason: await reasonIn(error, deps) })
  standing.health = "dead"
  standing.problem = failure.message
  deps.log.warn("source failed", { slug, code: failure.code })
  return failure
}

/** Without the cause itself: its text is the server's, and was not looked through. */
async function reasonIn(error: unknown, { redact }: AskingDeps): Promise<string> {
  const said = error instanceof Error ? [error.message, causeOf(error)] : [String(error)]
  const text = await redact(said.filter((it) => it !== "").join(": "))
  const line = visibleLine(text.trim()).slice(0, LONGEST_REASON_CHARACTERS)
  return line.toWellFormed().replace(/\.$/, "")
}

/** `fetch failed` alone says nothing; its cause has the word of the system. */
function causeOf({ message, cause }: Error): string {
  return message === "fetch failed" && cause instanceof Error ? cause.message : ""
}

type LineDeps = {
  readonly environment: Readonly<Record<string, string | undefined>>
  credential(name: string): Promise<string | undefined>
}

/** A line to a source, whichever way it is reached. Its key goes with the start, never before. */
async function openLine(source: Usable, signal: AbortSignal, deps: LineDeps): Promise<Connection> {
  const { slug, config, program } = source
  const { transport, timeoutMs } = config
  if (transport.type === "stdio" && program !== undefined) {
    const env = await environmentFor(transport.env, deps)
    return connect(stdioWire(program, env), { signal, timeoutMs })
  }
  const name = transport.type === "http" ? transport.credential : undefined
  const token = name === undefined ? undefined : await deps.credential(name)
  if (name !== undefined && token === undefined) throw SourceWithoutCredential({ slug, name })
  const url = transport.type === "http" ? transport.url : ""
  return connect(httpWire({ url, token }), { signal, timeoutMs })
}

/** What any program needs to start, on Unix and on Windows; no key is among them. */
const EVERYWHERE: readonly string[] = (
  "PATH HOME USER LOGNAME LANG LC_ALL TZ TMPDIR " +
  "Path PATHEXT SystemRoot ComSpec USERPROFILE APPDATA LOCALAPPDATA TEMP TMP"
).split(" ")

/**
 * What a server's process sees: the basics, and the variables its description names. One that is
 * not set is looked for among the credentials, as `brave-api-key` for `BRAVE_API_KEY`.
 */
async function environmentFor(
  names: readonly string[],
  deps: {
    readonly environment: Readonly<Record<string, string | undefined>>
    credential(name: string): Promise<string | undefined>
  },
): Promise<Environment> {
  const given = pickEnvironment(deps.environment, [...EVERYWHERE, ...names])
  const missing = names.filter((name) => given[name] === undefined)
  const kept = await Promise.all(
    missing.map(async (name) => [name, await deps.credential(credentialNameOf(name))] as const),
  )
  return { ...given, ...pickEnvironment(Object.fromEntries(kept), missing) }
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
