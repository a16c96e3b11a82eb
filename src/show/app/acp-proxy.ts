import type { Readable, Writable } from "node:stream"
import type { ProxyGuard } from "#act/agents"
import type { HookEvent, Verdict } from "#choose/guard"
import { start } from "#ground/base"
import { KIT_HOSTS, type KitHost, PackBuilt } from "#ground/contract"
import type { App } from "./app.ts"
import { AcpAgentNotStarted } from "./errors.ts"

/** Longer lines are passed on and not read; agents send images of a few megabytes. */
const LONGEST_READ_LINE_BYTES = 32 * 1024 * 1024
const STOP_GRACE_MS = 2_000
/** A guard that takes longer does not hold the agent back. */
const GUARD_MS = 2_000

type ProxyCall = {
  readonly app: App
  readonly input: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

type ProxyStreams = {
  judge(event: HookEvent, context: { readonly signal: AbortSignal }): Promise<Verdict>
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
}

/**
 * Passes messages between an editor on our streams and the agent that we start. The user named the
 * agent, so it has our whole environment, as if the editor had started it.
 */
export async function proxyAcp(call: ProxyCall, streams: ProxyStreams): Promise<number> {
  const { app, input, signal } = call
  const [program = "", ...args] = Array.isArray(input["command"])
    ? input["command"].map(String)
    : []
  const { acpHost, createAcpProxy } = await import("#act/agents")
  const packText = await textOfPack(input["pack"], app, signal)
  const started = await start(program, args, {
    cwd: app.places.repository.root,
    env: definedIn(call.environment),
    stdin: "pipe",
    signal,
    graceMs: STOP_GRACE_MS,
  })
  if (started.kind !== "started") {
    const reason = started.kind === "not-started" ? started.reason : "it is not on the PATH"
    throw AcpAgentNotStarted({ program, reason })
  }
  const { child } = started
  const agents = await app.agents()
  const host = acpHost(program.split(/[\\/]/).at(-1) ?? "")
  const recordings = new Map<string, ReturnType<typeof agents.record>>()
  const proxy = createAcpProxy({
    title: program,
    toEditor: (line) => void streams.output.write(line),
    toAgent: (line) => void child.stdin?.write(line),
    guard: createProxyGuard(app, streams, KIT_HOSTS.find((it) => it === host) ?? "claude-code"),
    contextFor: async () => packText,
    record(session, events) {
      const { cwd, sessionId } = session
      recordings.set(sessionId, agents.record({ type: host ?? "acp", cwd, events }))
    },
    recordPrompt: (sessionId, text) => recordings.get(sessionId)?.prompt(text),
    redact: (text) => text,
  })
  child.stderr.on("data", (chunk: Buffer) => streams.errors.write(chunk))
  const fromEditor = pump(streams.input, streams.output, proxy.fromEditor).then(() => {
    child.stdin?.end()
  })
  await pump(child.stdout, streams.output, proxy.fromAgent)
  const exit = await child.end()
  streams.input.destroy()
  await fromEditor.catch(() => {})
  proxy.end()
  await Promise.all([...recordings.values()].map((it) => it.done))
  return exit.kind === "exited" ? exit.code : 1
}

async function textOfPack(id: unknown, app: App, signal: AbortSignal): Promise<string | undefined> {
  if (typeof id !== "string" || id === "") return undefined
  const shown = await app.call("pack.show", { id, format: "markdown" }, { signal })
  return `<context label="package ${id}">\n${PackBuilt.parse(shown).text}\n</context>`
}

/** Deny rules first, then the guard of the repository, as for a hook of the host. */
function createProxyGuard(app: App, { judge }: ProxyStreams, host: KitHost): ProxyGuard {
  return async ({ kind, tool, input, paths, cwd, sessionId: session }) => {
    const rules = await app.permissions()
    await rules.reload()
    const verdict = rules.verdict({ tool, kind, input, cwd })
    if (verdict?.decision === "deny") return { reason: `rule: ${verdict.rule}` }
    if (kind !== "edit" || paths.length === 0) return undefined
    const at = Date.now()
    const event = { kind: "before-edit", host, session, directory: cwd, at, tool, paths } as const
    const judged = await judge(event, { signal: AbortSignal.timeout(GUARD_MS) })
    return judged.kind === "deny" || judged.kind === "block"
      ? { reason: `guard: ${judged.text}` }
      : undefined
  }
}

/** Reads whole lines with their line ends, one after the other, no faster than they are written. */
async function pump(
  from: Readable,
  to: Writable,
  handle: (line: Uint8Array) => Promise<void>,
): Promise<void> {
  let held: Buffer[] = []
  let heldBytes = 0
  for await (const chunk of from) {
    let rest: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...held, rest.subarray(0, end + 1)])
      held = []
      heldBytes = 0
      rest = rest.subarray(end + 1)
      await handle(line)
    }
    if (rest.length > 0) held.push(rest)
    heldBytes += rest.length
    if (heldBytes > LONGEST_READ_LINE_BYTES) {
      // A part of a line is not JSON, so it is passed on unread.
      await handle(Buffer.concat(held))
      held = []
      heldBytes = 0
    }
    if (to.writableNeedDrain) await new Promise((resolve) => to.once("drain", resolve))
  }
  if (heldBytes > 0) await handle(Buffer.concat(held))
}

function definedIn(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}
