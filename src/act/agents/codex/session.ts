import { type Clock, isAppError } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentNotUnderstood, SessionOver } from "../errors.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import { endSession, type HostProcess, startHostProcess } from "../wire/host-process.ts"
import { createRpcClient, parseRpcMessage, type RpcClient } from "../wire/json-rpc.ts"
import { createApprovals } from "./approvals.ts"
import { newParserState, type ParserState, parseNotification } from "./parse-stream.ts"
import { Servers, ThreadOpened, TurnOf } from "./schema.ts"

const TITLE = "Codex"

type Session = {
  mode: AgentMode
  isStopped: boolean
  isBusy: boolean
  child: HostProcess | undefined
  readonly options: StartOptions
  readonly emitter: EventEmitter
  readonly rpc: RpcClient
  readonly approvals: ReturnType<typeof createApprovals>
  readonly parser: ParserState
}

export async function startSession(options: StartOptions, clock: Clock): Promise<AgentSession> {
  const session = createSession(options)
  const { emitter, rpc } = session
  const child = await startHostProcess({
    start: options,
    args: [...(options.firstArguments ?? []), "app-server"],
    emitter,
    clock,
    onLine: (line) => handleLine(session, line),
  })
  session.child = child
  if (child !== undefined) {
    void child.ended.then((exit) => {
      const isStopped = session.isStopped || options.signal.aborted
      endSession(emitter, exit, { isStopped, isBusy: session.isBusy })
      rpc.abandon()
    })
    void openThread(session).catch((error: unknown) => giveUp(emitter, child, error))
  }
  return agentSessionOf(session)
}

function createSession(options: StartOptions): Session {
  const { mode, cwd, verdict } = options
  const emitter = createEventEmitter(TITLE, options.redact)
  const rpc = createRpcClient({
    title: TITLE,
    write: (message) => session.child?.write(message),
  })
  const parser = newParserState(emitter, (id) => approvals.resolved(id))
  const { about } = parser
  const approvals = createApprovals({ emitter, rpc, cwd, about, verdict, mode: () => session.mode })
  const session: Session = {
    mode,
    isStopped: false,
    isBusy: true,
    child: undefined,
    options,
    emitter,
    rpc,
    approvals,
    parser,
  }
  return session
}

async function openThread(session: Session): Promise<void> {
  const { rpc, emitter, parser, options } = session
  const clientInfo = { name: "quartermaster", title: "Quartermaster", version: "0.1.0" }
  await rpc.request("initialize", { clientInfo, capabilities: null })
  rpc.notify("initialized")
  const { approvalPolicy, sandbox } = policyOf(session)
  const { sources, resume } = options
  const settings = {
    cwd: options.cwd,
    model: options.model ?? null,
    approvalPolicy,
    sandbox,
    config: sources === undefined ? null : await onlyServers(rpc, options.cwd, sources),
  }
  const opened = ThreadOpened.safeParse(
    resume === undefined
      ? await rpc.request("thread/start", settings)
      : await rpc.request("thread/resume", { ...settings, threadId: resume, excludeTurns: true }),
  )
  if (!opened.success)
    throw AgentNotUnderstood({ title: TITLE, what: "the response has no thread id" })
  const { thread, model, cwd, instructionSources } = opened.data
  parser.threadId = thread.id
  const { cliVersion: version } = thread
  const { mode } = session
  emitter.emit({ event: "session.started", sessionId: thread.id, cwd, model, version, mode })
  for (const path of instructionSources) {
    emitter.emit({ event: "context.file", path, reason: "instructions" })
  }
  await startTurn(session, options.prompt)
}

async function onlyServers(
  rpc: RpcClient,
  cwd: string,
  sources: readonly string[],
): Promise<object> {
  const read = Servers.safeParse(await rpc.request("config/read", { cwd, includeLayers: false }))
  if (!read.success)
    throw AgentNotUnderstood({ title: TITLE, what: "the response does not list its MCP servers" })
  const names = Object.keys(read.data.config.mcp_servers ?? {})
  const others = names.filter((it) => !sources.includes(it))
  // As a table and not as dotted keys: a server's name may contain a dot.
  return { mcp_servers: Object.fromEntries(others.map((it) => [it, { enabled: false }])) }
}

async function startTurn(session: Session, text: string): Promise<void> {
  const { rpc, parser } = session
  const { approvalPolicy, sandboxPolicy } = policyOf(session)
  session.isBusy = true
  const settings = { threadId: parser.threadId, approvalPolicy, sandboxPolicy }
  try {
    await rpc.request("turn/start", { ...settings, input: inputOf(text) })
  } catch (error) {
    session.isBusy = false
    throw error
  }
}

function inputOf(text: string): readonly object[] {
  return [{ type: "text", text, text_elements: [] }]
}

function giveUp(emitter: EventEmitter, child: HostProcess, error: unknown): void {
  if (SessionOver.is(error)) return
  const what = error instanceof Error ? error.message : String(error)
  emitter.fail(isAppError(error) ? error : AgentNotUnderstood({ title: TITLE, what }))
  void child.end()
}

function handleLine(session: Session, raw: string): void {
  const { emitter, rpc, approvals, parser } = session
  const message = parseRpcMessage(raw)
  if (message === undefined) return emitter.reportNoise(raw)
  const { id, method, params, result, error } = message
  if (method === undefined) {
    if (id === undefined) emitter.reportNoise(raw)
    else rpc.settle(id, { result, error })
  } else if (id !== undefined) approvals.handle({ id, method, params }, raw)
  else {
    parseNotification(parser, { method, params, raw })
    const turn = TurnOf.safeParse(params)
    const isEnd = method === "turn/completed" && turn.data?.threadId === parser.threadId
    if (turn.success && isEnd) session.isBusy = false
  }
}

function agentSessionOf(session: Session): AgentSession {
  const { emitter, rpc, approvals, parser, child } = session
  function checkOpen(): void {
    if (child === undefined || emitter.hasEnded()) throw SessionOver({ title: TITLE })
  }
  const steer = async (text: string) => {
    const { threadId, turnId } = parser
    await rpc.request("turn/steer", { threadId, expectedTurnId: turnId, input: inputOf(text) })
  }
  return {
    events: emitter.events,
    process: child?.identity,
    canSteer: true,
    async send(text) {
      checkOpen()
      await (session.isBusy ? steer(text) : startTurn(session, text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      approvals.answer(approvalId, answer)
      // The protocol has no field for a reason, so it follows as a user message.
      if (answer.decision === "deny" && answer.note !== undefined) await steer(answer.note)
    },
    async setMode(mode) {
      checkOpen()
      session.mode = mode
      emitter.emit({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      const { threadId, turnId } = parser
      if (turnId === undefined) return
      emitter.setStopping("asked")
      await rpc.request("turn/interrupt", { threadId, turnId })
    },
    async stop() {
      session.isStopped = true
      emitter.setStopping("killed")
      await child?.end()
      await child?.ended
    },
  }
}

type Policy = {
  readonly approvalPolicy: "untrusted" | "on-request"
  readonly sandbox: "read-only" | "workspace-write"
  readonly sandboxPolicy: object
}

/**
 * Writes below the working directory and in TMPDIR; no network unless requested. Not in /tmp: the
 * host would leave empty `.git` and `.codex` folders there, and other hosts, such as Claude Code,
 * take an empty `.git` for the top of a repository (seen on 0.166.0).
 */
const WORKSPACE = {
  type: "workspaceWrite",
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: true,
}

/**
 * The host's switches. `plan` uses a read-only sandbox and denies leaving it; with `untrusted` it
 * could not even list a folder (seen on 0.166.0). `untrusted` asks for every patch and every
 * command that is not known to only read; with `edits` we allow ordinary patches ourselves. `auto`
 * stays in its sandbox until the model asks to leave it, which we allow; with rules it asks like
 * the other modes, so that the rules apply.
 */
function policyOf({ mode, options }: Session): Policy {
  const hasRules = options.verdict !== undefined
  switch (mode) {
    case "plan":
      return {
        approvalPolicy: "on-request",
        sandbox: "read-only",
        sandboxPolicy: { type: "readOnly", networkAccess: false },
      }
    case "ask":
    case "edits":
    case "auto":
      return {
        approvalPolicy: mode === "auto" && !hasRules ? "on-request" : "untrusted",
        sandbox: "workspace-write",
        sandboxPolicy: WORKSPACE,
      }
    default:
      return mode satisfies never
  }
}
