import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"
import { isAppError, type Random, systemClock, systemRandom, versions } from "#ground/base"
import { type Caller, TOOL_SETS, type ToolSetName } from "#ground/contract"

import { type CallerName, type CallerOf, plainSession, stdioCallers } from "./caller.ts"
import { ToolSetUnknown } from "./errors.ts"
import { createFrames } from "./frames.ts"
import { MOST_SUBSCRIPTIONS } from "./limits.ts"
import { makeServer, shownTools } from "./server.ts"
import { takeStdout } from "./stdout.ts"
import type { McpApp } from "./tools/tool.ts"

/** A host starts one or a few sessions; branches of further ones end by their deadlines. */
const MOST_ENDED_SESSIONS = 100

/** How long requests may take after the client closed its input. */
const LONGEST_LAST_WORK_MS = 10_000

export type McpCall = {
  readonly app: McpApp
  readonly input: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
  readonly random?: Random
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/**
 * `qm mcp`: serves the client that started us until it closes stdin, or a signal arrives.
 */
export async function serveMcpOnStdio(call: McpCall): Promise<number> {
  const { app, signal } = call
  // Report invalid settings before the first frame: hosts show a server's last output.
  const tools = readToolSets(call.input["tools"], app.config().sources.sessions !== "")
  const shown = await shownTools(app)
  const callerOf = watchCallers(stdioCallers(call.random ?? systemRandom, call.environment))
  using stdout = takeStdout(process.stdout, process.stderr)
  // A client that closed stderr still gets its responses.
  process.stderr.on("error", () => {})
  const over = Promise.withResolvers<void>()
  const end = (): void => over.resolve()
  const frames = createFrames({ input: process.stdin, write: stdout.write, onEnd: end })
  signal.addEventListener("abort", end, { once: true })
  if (signal.aborted) end()
  const version = versions().qm
  const serving = serveStdio(
    () => makeServer({ app, tools, shown, version, callerOf: callerOf.open }),
    {
      transport: frames,
      maxSubscriptions: MOST_SUBSCRIPTIONS,
      onerror: (error) => app.log.info("mcp message refused", { kind: error.name }),
    },
  )
  const reader = openReader(call, tools)
  await over.promise
  await lastWork(frames.answered(), signal)
  await serving.close()
  await reader.close()
  for (const caller of callerOf.callers()) await endSession(caller, app)
  return 0
}

/**
 * Tells the hooks of the host's session that its agent can read handles. Only Claude Code lets a
 * hook replace an output, and it names the session in the environment.
 */
function openReader({ app, environment = {} }: McpCall, tools: readonly ToolSetName[]) {
  const session = plainSession(environment["CLAUDE_CODE_SESSION_ID"])
  if (session === undefined || !tools.includes("core")) return { close: async () => {} }
  const note = (error: unknown): void => {
    app.log.warn("hooks do not know that handles can be read", { error })
  }
  const opened = app.fold().then((it) => it.openReader(session))
  opened.catch(note)
  return {
    close: async (): Promise<void> => {
      await opened.then(async () => (await app.fold()).closeReader(session)).catch(note)
    },
  }
}

/** A script that pipes requests and closes stdin gets its responses; a signal ends the wait. */
async function lastWork(answered: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const late = systemClock.sleep(LONGEST_LAST_WORK_MS, stop).catch(() => {})
  await Promise.race([answered, late])
  over.abort()
}

/** Remembers callers: an unused session has no branches to end. */
function watchCallers(callerOf: CallerOf) {
  const bySession = new Map<string, Caller>()
  return {
    open: (named: CallerName): Caller => {
      const caller = callerOf(named)
      const isRemembered = bySession.size < MOST_ENDED_SESSIONS || bySession.has(caller.session)
      if (isRemembered) bySession.set(caller.session, caller)
      return caller
    },
    callers: () => [...bySession.values()],
  }
}

/**
 * The client is gone, so its branches end. A host may start several processes with one session:
 * the branches of the others stay open.
 */
async function endSession(caller: Caller, app: McpApp): Promise<void> {
  const { signal } = new AbortController()
  try {
    await app.call("fold.end", { own: true }, { signal, caller })
  } catch (error) {
    if (!isAppError(error)) throw error
    app.log.warn("session could not be ended", { code: error.code })
  }
}

/**
 * `--tools core`; without the flag the default sets, with sources if agents may call some everywhere.
 */
export function readToolSets(value: unknown, hasSources = false): readonly ToolSetName[] {
  const named = ToolSets.parse(value)
  if (named.length === 0) return hasSources ? ["core", "sources"] : ["core"]
  const names = named.flatMap((it) => it.split(",")).map((it) => it.trim())
  return [...new Set(names)].map(readToolSet)
}

/** One flag or several, each with one name or several. */
const ToolSets = z.union([
  z.undefined().transform(() => []),
  z.string().transform((it) => [it]),
  z.array(z.string()),
])

function readToolSet(name: string): ToolSetName {
  const set = TOOL_SETS.find((it) => it === name)
  if (set === undefined) throw ToolSetUnknown({ given: name, known: TOOL_SETS })
  return set
}
