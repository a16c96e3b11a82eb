import { type Clock, isAppError } from "#ground/base"
import type { AgentMode } from "#ground/contract"
import type { AgentSession, StartOptions } from "../agent.ts"
import { AgentNotUnderstood, SessionOver } from "../wire/errors.ts"
import { concludeSession, type HostChild, startHostChild } from "../wire/host-child.ts"
import { createTelling, type Telling } from "../wire/telling.ts"
import { parseRecord } from "../wire/text.ts"
import { createApprovals } from "./approvals.ts"
import { type Hearing, hear } from "./hear.ts"
import { policyOf } from "./modes.ts"
import { createRpc, type RpcClient } from "./rpc.ts"
import { Rpc, Servers, ThreadOpened, TurnOf } from "./shapes.ts"

const TITLE = "Codex"

type State = {
  mode: AgentMode
  readonly hasRules: boolean
  isStopped: boolean
  isBusy: boolean
}

type World = {
  readonly state: State
  readonly telling: Telling
  readonly rpc: RpcClient
  readonly approvals: ReturnType<typeof createApprovals>
  readonly hearing: Hearing
}

/** One `codex app-server` for the session: questions and answers as JSON-RPC on its pipes. */
export async function startSession(options: StartOptions, clock: Clock): Promise<AgentSession> {
  const link: { child?: HostChild } = {}
  const world = createWorld(options, (message) => link.child?.write(message))
  const { telling, rpc, state } = world
  const child = await startHostChild({
    start: options,
    args: [...(options.firstArguments ?? []), "app-server"],
    telling,
    clock,
    hear: (line) => hearLine(world, line),
  })
  if (child !== undefined) {
    link.child = child
    void child.gone.then((gone) => {
      const isStopped = state.isStopped || options.signal.aborted
      concludeSession(telling, gone, { isStopped, isBusy: state.isBusy })
      rpc.abandon()
    })
    void open(world, options).catch((error: unknown) => giveUp(world, child, error))
  }
  return sessionOf(world, child)
}

function createWorld(options: StartOptions, write: (message: object) => void): World {
  const telling = createTelling(TITLE, options.redact)
  const { mode, cwd, verdict } = options
  const hasRules = verdict !== undefined
  const state: State = { mode, hasRules, isStopped: false, isBusy: true }
  const rpc = createRpc(TITLE, write)
  const about: Hearing["about"] = new Map()
  const approvals = createApprovals({ telling, rpc, cwd, about, verdict, mode: () => state.mode })
  const hearing = {
    telling,
    about,
    denials: 0,
    threadId: undefined,
    turnId: undefined,
    callers: new Map(),
    lastText: "",
    resolved: (id: string | number) => approvals.resolved(id),
  }
  return { state, telling, rpc, approvals, hearing }
}

/** From nothing to the first turn. */
async function open(world: World, options: StartOptions): Promise<void> {
  const { rpc, telling, hearing, state } = world
  const clientInfo = { name: "quartermaster", title: "Quartermaster", version: "0.1.0" }
  await rpc.request("initialize", { clientInfo, capabilities: null })
  rpc.notify("initialized")
  const { approvalPolicy, sandbox } = policyOf(state.mode, state)
  const { cwd: folder, model: wanted = null, sources } = options
  const config = sources === undefined ? null : await onlyServers(rpc, folder, sources)
  const settings = { cwd: folder, model: wanted, approvalPolicy, sandbox, config }
  const opened = ThreadOpened.safeParse(
    options.resume === undefined
      ? await rpc.request("thread/start", settings)
      : await rpc.request("thread/resume", {
          ...settings,
          threadId: options.resume,
          excludeTurns: true,
        }),
  )
  if (!opened.success) throw AgentNotUnderstood({ title: TITLE, what: "its thread has no id" })
  const { thread, model, cwd, instructionSources } = opened.data
  hearing.threadId = thread.id
  const { cliVersion: version } = thread
  const { mode } = state
  telling.say({ event: "session.started", sessionId: thread.id, cwd, model, version, mode })
  for (const path of instructionSources) {
    telling.say({ event: "context.file", path, reason: "instructions" })
  }
  await startTurn(world, options.prompt)
}

/** Every server of the settings in force that is not among those wanted is switched off. */
async function onlyServers(
  rpc: RpcClient,
  cwd: string,
  wanted: readonly string[],
): Promise<object> {
  const read = Servers.safeParse(await rpc.request("config/read", { cwd, includeLayers: false }))
  if (!read.success)
    throw AgentNotUnderstood({ title: TITLE, what: "it does not list its servers" })
  const others = Object.keys(read.data.config.mcp_servers ?? {}).filter(
    (it) => !wanted.includes(it),
  )
  // As a table and not as keys with dots: a server's name may hold one.
  return { mcp_servers: Object.fromEntries(others.map((it) => [it, { enabled: false }])) }
}

async function startTurn(world: World, text: string): Promise<void> {
  const { rpc, hearing, state } = world
  const { approvalPolicy, sandboxPolicy } = policyOf(state.mode, state)
  state.isBusy = true
  const settings = { threadId: hearing.threadId, approvalPolicy, sandboxPolicy }
  try {
    await rpc.request("turn/start", { ...settings, input: inputOf(text) })
  } catch (error) {
    state.isBusy = false
    throw error
  }
}

function inputOf(text: string): readonly object[] {
  return [{ type: "text", text, text_elements: [] }]
}

function giveUp(world: World, child: HostChild, error: unknown): void {
  const isOver = SessionOver.is(error)
  if (isOver) return
  const what = error instanceof Error ? error.message : String(error)
  world.telling.fail(isAppError(error) ? error : AgentNotUnderstood({ title: TITLE, what }))
  void child.end()
}

function hearLine(world: World, raw: string): void {
  const { telling, rpc, approvals, hearing, state } = world
  const message = Rpc.safeParse(parseRecord(raw))
  if (!message.success) return telling.noise(raw)
  const { id, method, params, result, error } = message.data
  if (method === undefined) {
    if (id === undefined) telling.noise(raw)
    else rpc.settle(id, { result, error: error?.message })
  } else if (id !== undefined) approvals.hear({ id, method, params }, raw)
  else {
    hear(hearing, { method, params, raw })
    if (isEndOfTurn(hearing, method, params)) state.isBusy = false
  }
}

function isEndOfTurn(hearing: Hearing, method: string, params: unknown): boolean {
  const turn = TurnOf.safeParse(params)
  return method === "turn/completed" && turn.success && turn.data.threadId === hearing.threadId
}

function sessionOf(world: World, child: HostChild | undefined): AgentSession {
  const { telling, rpc, approvals, hearing, state } = world
  function checkOpen(): void {
    if (child === undefined || telling.isOver()) throw SessionOver({ title: TITLE })
  }
  const steer = async (text: string) => {
    const { threadId, turnId } = hearing
    await rpc.request("turn/steer", { threadId, expectedTurnId: turnId, input: inputOf(text) })
  }
  return {
    events: telling.events,
    process: child?.identity,
    canSteer: true,
    async send(text) {
      checkOpen()
      await (state.isBusy ? steer(text) : startTurn(world, text))
    },
    async answer(approvalId, answer) {
      checkOpen()
      approvals.answer(approvalId, answer)
      // The protocol has no room for a reason, so it follows as a word of the person.
      if (answer.decision === "deny" && answer.note !== undefined) await steer(answer.note)
    },
    async setMode(mode) {
      checkOpen()
      state.mode = mode
      telling.say({ event: "mode.changed", mode, by: "request" })
    },
    async interrupt() {
      checkOpen()
      const { threadId, turnId } = hearing
      if (turnId === undefined) return
      telling.stopping("asked")
      await rpc.request("turn/interrupt", { threadId, turnId })
    },
    async stop() {
      state.isStopped = true
      telling.stopping("killed")
      await child?.end()
      await child?.gone
    },
  }
}
