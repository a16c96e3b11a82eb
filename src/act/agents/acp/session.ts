import { type Clock, isAppError, oneLine } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import {
  AgentNotUnderstood,
  AgentRefused,
  ProtocolVersionUnsupported,
  SessionOver,
  SignInMissing,
  SourcesNotSupported,
  TurnRunning,
} from "../errors.ts"
import { createEventEmitter, type EventEmitter } from "../wire/event-emitter.ts"
import { endSession, type HostProcess, startHostProcess } from "../wire/host-process.ts"
import { createRpcClient, parseRpcMessage, type RpcClient, rpcCodeOf } from "../wire/json-rpc.ts"
import { type ClientRequests, createClientRequests } from "./client-requests.ts"
import {
  endDenied,
  flushMessage,
  newParserState,
  type ParserState,
  parseUpdate,
} from "./parse-updates.ts"
import type { AcpProfile } from "./profiles.ts"
import { Initialized, PROTOCOL_VERSION, PromptEnded, SessionOpened } from "./schema.ts"
import { createTerminals, type Terminals } from "./terminals.ts"
import { outcomeOf, usageOf } from "./turn-end.ts"

/** For the agent to save a session that is closed; then its process ends. */
const CLOSE_GRACE_MS = 2_000
const AUTH_REQUIRED = -32_000

type Session = {
  mode: AgentMode
  isStopped: boolean
  isBusy: boolean
  isInterrupted: boolean
  child: HostProcess | undefined
  agent: Initialized | undefined
  /** Modes that the agent offers, by its own ids. */
  hostModes: readonly string[]
  hostMode: string | undefined
  /** The option to set, if the agent offers its modes as one (opencode 1.18.33). */
  modeOption: string | undefined
  readonly profile: AcpProfile
  readonly options: StartOptions
  readonly clock: Clock
  readonly emitter: EventEmitter
  readonly rpc: RpcClient
  readonly parser: ParserState
  readonly requests: ClientRequests
  readonly terminals: Terminals
}

export async function startSession(
  profile: AcpProfile,
  options: StartOptions,
  clock: Clock,
): Promise<AgentSession> {
  const session = createSession(profile, options, clock)
  const { emitter, rpc, terminals } = session
  const overrides = profile.overrides?.(options) ?? {}
  const environment = { ...options.environment, ...overrides.environment }
  const child = await startHostProcess({
    start: { ...options, environment },
    args: [...profile.args, ...(overrides.args ?? []), ...(options.firstArguments ?? [])],
    emitter,
    clock,
    onLine: (line) => handleLine(session, line),
  })
  session.child = child
  if (child !== undefined) {
    void child.ended.then(async (exit) => {
      const isStopped = session.isStopped || options.signal.aborted
      await terminals.endAll()
      endSession(emitter, exit, { isStopped, isBusy: session.isBusy })
      session.requests.cancelOpen()
      rpc.abandon()
    })
    void openSession(session).catch((error: unknown) => giveUp(session, child, error))
  }
  return agentSessionOf(session)
}

function createSession(profile: AcpProfile, options: StartOptions, clock: Clock): Session {
  const emitter = createEventEmitter(profile.title, options.redact)
  const write = (message: object) => session.child?.write(message)
  const rpc = createRpcClient({ title: profile.title, envelope: { jsonrpc: "2.0" }, write })
  const terminals = createTerminals()
  const parser = newParserState(emitter, (id) => terminals.output(id)?.output ?? "")
  const mode = () => session.mode
  const requests = createClientRequests({ emitter, rpc, parser, terminals, options, mode })
  const session: Session = {
    mode: options.mode,
    isStopped: false,
    isBusy: true,
    isInterrupted: false,
    child: undefined,
    agent: undefined,
    hostModes: [],
    hostMode: undefined,
    modeOption: undefined,
    profile,
    options,
    clock,
    emitter,
    rpc,
    parser,
    requests,
    terminals,
  }
  return session
}

async function openSession(session: Session): Promise<void> {
  const { emitter, options, profile, parser } = session
  const { title } = profile
  if (options.sources !== undefined && profile.canChooseSources !== true) {
    throw SourcesNotSupported({ title })
  }
  const agent = await initialize(session)
  session.agent = agent
  const opened = SessionOpened.safeParse(await openSignedIn(session, agent))
  const sessionId = opened.data?.sessionId ?? options.resume
  if (!opened.success || sessionId === undefined) {
    throw AgentNotUnderstood({ title, what: "the response has no session id" })
  }
  parser.sessionId = sessionId
  readModes(session, opened.data)
  await applyMode(session)
  const model = await chooseModel(session, opened.data)
  const version = agent.agentInfo?.version ?? undefined
  const { mode } = session
  emitter.emit({ event: "session.started", sessionId, cwd: options.cwd, model, version, mode })
  startTurn(session, options.prompt)
}

async function initialize({ rpc, profile }: Session): Promise<Initialized> {
  const { title } = profile
  const response = await rpc.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: {
      fs: { readTextFile: profile.readsFilesItself !== true, writeTextFile: true },
      terminal: true,
    },
    clientInfo: { name: "quartermaster", title: "Quartermaster", version: "0.1.0" },
  })
  const parsed = Initialized.safeParse(response)
  if (!parsed.success) {
    throw AgentNotUnderstood({ title, what: "the response to initialize has no version" })
  }
  const { protocolVersion: version } = parsed.data
  if (version !== PROTOCOL_VERSION) {
    throw ProtocolVersionUnsupported({ title, version, ours: PROTOCOL_VERSION })
  }
  return parsed.data
}

/** An agent with a key in its environment may still require a request to use it. */
async function openSignedIn(session: Session, agent: Initialized): Promise<unknown> {
  try {
    return await openOrResume(session, agent)
  } catch (error) {
    if (rpcCodeOf(error) !== AUTH_REQUIRED || !isAppError(error)) throw error
    const { title } = session.profile
    const method = agent.authMethods.find((it) => /api-?key/.test(it.id))
    const ways = agent.authMethods.map((it) => it.description ?? it.name ?? it.id).join("; ")
    const signIn = SignInMissing({ title, ways: oneLine(ways, 300) })
    if (method === undefined) throw signIn
    await session.rpc.request("authenticate", { methodId: method.id }).catch(() => {
      throw signIn
    })
    return openOrResume(session, agent)
  }
}

async function openOrResume(session: Session, agent: Initialized): Promise<unknown> {
  const { rpc, options, parser, profile } = session
  const { cwd, resume: sessionId } = options
  if (sessionId === undefined) return rpc.request("session/new", { cwd, mcpServers: [] })
  const { loadSession, sessionCapabilities } = agent.agentCapabilities
  const method = sessionCapabilities.resume ? "session/resume" : "session/load"
  const what = `resuming session ${sessionId}`
  if (!sessionCapabilities.resume && !loadSession) {
    const reason = "this agent has no session found by id, because it cannot resume"
    throw AgentRefused({ title: profile.title, what, reason })
  }
  await profile.beforeResume?.(sessionId, options, session.clock)
  parser.isReplay = true
  try {
    return await rpc.request(method, { sessionId, cwd, mcpServers: [] })
  } catch (error) {
    if (rpcCodeOf(error) === AUTH_REQUIRED || rpcCodeOf(error) === undefined) throw error
    const message = error instanceof Error ? oneLine(error.message, 300) : ""
    throw AgentRefused({
      title: profile.title,
      what,
      reason: `no session found with this id. ${message}`,
    })
  } finally {
    parser.isReplay = false
  }
}

function readModes(session: Session, { modes, configOptions }: SessionOpened): void {
  const option = configOptions?.find((it) => it.category === "mode")
  session.hostModes =
    modes?.availableModes.map((it) => it.id) ?? option?.options.map((it) => it.value) ?? []
  if (modes === undefined || modes === null) session.modeOption = option?.id
  const value = option?.currentValue
  session.hostMode = modes?.currentModeId ?? (typeof value === "string" ? value : undefined)
}

/** Uses the agent's mode that asks most; our own answers implement the rest. */
async function applyMode(session: Session): Promise<void> {
  const { rpc, parser, profile, hostModes, mode } = session
  const changing =
    mode === "auto" ? (profile.autoModes ?? profile.askingModes) : profile.askingModes
  const modes = mode === "plan" ? profile.planModes : changing
  const modeId = modes.flatMap((it) =>
    hostModes.filter((id) => id === it || id.endsWith(`#${it}`)),
  )[0]
  if (modeId === undefined || modeId === session.hostMode) return
  const { sessionId } = parser
  await (session.modeOption === undefined
    ? rpc.request("session/set_mode", { sessionId, modeId })
    : rpc.request("session/set_config_option", {
        sessionId,
        configId: session.modeOption,
        value: modeId,
      }))
  session.hostMode = modeId
}

async function chooseModel(
  { rpc, parser, options, profile }: Session,
  { models, configOptions }: SessionOpened,
): Promise<string | undefined> {
  const option = configOptions?.find((it) => it.category === "model")
  const current = models?.currentModelId ?? option?.currentValue
  const { model } = options
  const { sessionId } = parser
  if (model === undefined || profile.hasModelArgument === true) {
    return model ?? (typeof current === "string" ? current : undefined)
  }
  if (option !== undefined) {
    const params = { sessionId, configId: option.id, value: model }
    await rpc.request("session/set_config_option", params)
  } else await rpc.request("session/set_model", { sessionId, modelId: model })
  return model
}

function startTurn(session: Session, text: string): void {
  const { rpc, parser, emitter } = session
  session.isBusy = true
  parser.lastText = ""
  parser.denials = 0
  emitter.emit({ event: "turn.started" })
  const prompt = [{ type: "text", text }]
  rpc
    .request("session/prompt", { sessionId: parser.sessionId, prompt })
    .then((response) => endTurn(session, response))
    .catch((error: unknown) => failTurn(session, error))
}

function endTurn(session: Session, response: unknown): void {
  const { emitter, parser, profile } = session
  const parsed = PromptEnded.safeParse(response)
  if (!parsed.success) {
    const what = "the response to a prompt has no stop reason"
    return failTurn(session, AgentNotUnderstood({ title: profile.title, what }))
  }
  flushMessage(parser)
  endDenied(parser)
  const usage = usageOf(parsed.data)
  if (usage !== undefined) {
    const isTotal = TOTAL_USAGE.has(session.agent?.agentInfo?.name ?? "")
    emitter.emit({ event: "cost", usage, isTotal, reportedUsd: spentSince(session, isTotal) })
  }
  const { lastText: text, denials } = parser
  const isStopping = session.isStopped || session.isInterrupted
  closeTurn(session)
  // An agent that is asked to stop may still report a normal end.
  const ended = isStopping ? ({ outcome: "stopped" } as const) : outcomeOf(parsed.data.stopReason)
  emitter.emit({ event: "turn.ended", ...ended, text, denials })
}

function failTurn(session: Session, error: unknown): void {
  if (SessionOver.is(error)) return
  const { emitter, parser } = session
  flushMessage(parser)
  closeTurn(session)
  const message = error instanceof Error ? error.message : String(error)
  emitter.emit({ event: "turn.ended", outcome: "failed", text: parser.lastText, error: message })
}

function closeTurn(session: Session): void {
  session.isBusy = false
  session.isInterrupted = false
  session.requests.endTurn()
  session.parser.calls.clear()
  session.parser.denied.clear()
}

/** The others report the usage of the turn. Seen on Copilot 1.0.102. */
const TOTAL_USAGE: ReadonlySet<string> = new Set(["Copilot"])

/** `usage_update` has the session's total; a cost event of one turn needs the difference. */
function spentSince({ parser }: Session, isTotal: boolean): number | undefined {
  const { reportedUsd } = parser
  if (reportedUsd === undefined || isTotal) return reportedUsd
  const before = parser.countedUsd
  parser.countedUsd = reportedUsd
  return Math.max(0, reportedUsd - before)
}

function giveUp({ emitter, profile }: Session, child: HostProcess, error: unknown): void {
  if (SessionOver.is(error)) return
  const what = error instanceof Error ? error.message : String(error)
  emitter.fail(isAppError(error) ? error : AgentNotUnderstood({ title: profile.title, what }))
  void child.end()
}

function handleLine(session: Session, raw: string): void {
  const { emitter, rpc, requests, parser } = session
  const message = parseRpcMessage(raw)
  if (message === undefined) return emitter.reportNoise(raw)
  const { id, method, params, result, error } = message
  if (method === undefined) {
    if (id === undefined) emitter.reportNoise(raw)
    else rpc.settle(id, { result, error })
  } else if (id !== undefined) requests.handle({ id, method, params }, raw)
  else if (method === "session/update") {
    if (!parseUpdate(parser, params, raw)) emitter.reportUnknown(method, raw)
  } else if (!method.startsWith("_") && !method.startsWith("$/")) {
    emitter.reportUnknown(method, raw)
  }
}

function agentSessionOf(session: Session): AgentSession {
  const { emitter, rpc, parser, child, profile } = session
  function checkOpen(): void {
    if (child === undefined || emitter.hasEnded()) throw SessionOver({ title: profile.title })
  }
  return {
    events: emitter.events,
    process: child?.identity,
    canSteer: false,
    async send(text) {
      checkOpen()
      if (session.isBusy) throw TurnRunning({ title: profile.title })
      session.isBusy = true
      try {
        await applyMode(session)
      } catch (error) {
        session.isBusy = false
        throw error
      }
      startTurn(session, text)
    },
    async answer(approvalId, answer) {
      checkOpen()
      session.requests.answer(approvalId, answer)
    },
    async setMode(mode) {
      checkOpen()
      session.mode = mode
      emitter.emit({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      if (!emitter.isInTurn()) return
      session.isInterrupted = true
      // Agents end the running command and may then report it as done.
      emitter.setStopping("killed")
      rpc.notify("session/cancel", { sessionId: parser.sessionId })
      session.requests.cancelOpen()
      await session.terminals.endAll()
    },
    async stop() {
      session.isStopped = true
      emitter.setStopping("killed")
      await closeSession(session)
      await child?.end()
      await child?.ended
    },
  }
}

/** An idle agent may store the session; a busy one is ended. */
async function closeSession(session: Session): Promise<void> {
  const { agent, parser, rpc, emitter, clock, isBusy } = session
  const canClose = agent?.agentCapabilities.sessionCapabilities.close === true
  if (!canClose || parser.sessionId === undefined || isBusy || emitter.hasEnded()) return
  const over = new AbortController()
  const closed = rpc.request("session/close", { sessionId: parser.sessionId }).catch(() => {})
  await Promise.race([closed, clock.sleep(CLOSE_GRACE_MS, over.signal).catch(() => {})])
  over.abort()
}
