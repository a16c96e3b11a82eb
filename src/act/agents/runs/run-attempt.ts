import { invariant, isAppError, type Log } from "#ground/base"
import {
  AgentEvent,
  type AgentType,
  type ContextPart,
  type QueuedTurn,
  type Run,
  type RunConfiguration,
  type RunStatus,
} from "#ground/contract"
import type { Agent, StartOptions } from "../agent.ts"
import { ProgramMissing } from "../errors.ts"
import { type NewMessage, systemMessage } from "../event-message.ts"
import type { PumpDeps, Turn } from "./run-buffer.ts"
import { type SessionPump, startSessionPump } from "./session-pump.ts"
import type { MessageStore } from "./stores/message-store.ts"
import { finishCommand } from "./stores/queue-store.ts"
import type { Claim } from "./stores/run-store.ts"
import type { Stores } from "./stores/stores.ts"

export type ContextPartsRequest = {
  readonly pack?: string | undefined
  readonly turn?: string
}

export type ProxyRequest = {
  readonly run: Run
  readonly mode: RunConfiguration["gateway"]
  readonly environment: StartOptions["environment"]
  tell(text: string): void
}

export type ProxiedRun = {
  readonly environment: StartOptions["environment"]
  readonly args: readonly string[]
  end(): Promise<void>
}

export type AttemptDeps = Omit<PumpDeps, "nextTurn" | "unusedAnswer" | "messages"> & {
  readonly log: Log
  agent(type: AgentType): Promise<Agent>
  environmentFor(type: AgentType): Readonly<Record<string, string>>
  environment(): Readonly<Record<string, string | undefined>>
  projectFolders(directory: string): Promise<readonly string[]>
  contextParts(run: Run, request: ContextPartsRequest): Promise<readonly ContextPart[]>
  rules(changes?: readonly string[]): Promise<Pick<StartOptions, "verdict" | "restricting">>
  checkResumable(run: Run): Promise<boolean>
  restore(run: Run): Promise<ContextPart>
  proxy(request: ProxyRequest): Promise<ProxiedRun | undefined>
}

type AttemptInput = {
  readonly run: Run
  readonly claim: Claim
  readonly configuration: RunConfiguration
  readonly queued: QueuedTurn
}

type StartPlan = {
  readonly turn: Turn
  readonly isFresh: boolean
  readonly mayRestart: boolean
  readonly isRecorded: boolean
}

/**
 * Works on a claimed run until its end. A session that the host no longer has is replaced once by a
 * new one.
 */
export function createRunAttempt(deps: AttemptDeps, stores: Stores) {
  async function compose({ run, configuration, queued }: Omit<AttemptInput, "claim">) {
    const pack = await pendingPack(run, configuration, stores.messages)
    const parts = await deps.contextParts(run, { pack, turn: queued.text })
    using _ = await deps.prepareRedaction?.(queued.text)
    return { ...composeTurn(queued, parts, deps.redact), id: queued.id }
  }
  async function nextTurn({ run: before, configuration }: AttemptInput): Promise<Turn | undefined> {
    const queued = await stores.queue.nextTurn(before.id)
    if (queued === undefined) return undefined
    // Read again: when the attempt began the run may have had no session.
    const { run } = await stores.runs.find(before.id)
    return compose({ run, configuration, queued })
  }
  async function unusedAnswer(runId: string, digest: string) {
    const approval = await stores.approvals.findUnusedFor(runId, digest)
    if (approval === undefined || !(await stores.approvals.markUsed(approval.id))) return undefined
    const { status, note, answeredBy } = approval
    const decision = status === "allowed" ? "allow" : "deny"
    return { decision, note: note ?? undefined, by: answeredBy ?? "the user" } as const
  }
  async function start(input: AttemptInput, plan: StartPlan): Promise<SessionPump> {
    const { claim, configuration } = input
    const run = plan.isFresh ? { ...input.run, sessionId: null } : input.run
    if (plan.isFresh) await stores.runs.forgetSession(run.id)
    const text = plan.isFresh ? await restoredText(run, plan.turn, deps) : plan.turn.text
    const messages = [
      ...(plan.isRecorded ? [] : [plan.turn.message]),
      ...(plan.isFresh ? [systemMessage(FRESH)] : []),
    ]
    if (messages.length > 0) await record(claim, plan, messages)
    const hide = hideVariables(deps, configuration.env ?? {})
    const prepared = await prepare({ ...input, run }, { ...plan, text, redact: hide.redact }, deps)
    const { agent, options, proxied } = await proxyThrough(prepared, { ...input, run })
    const { mayRestart } = plan
    const pump = startSessionPump(
      { run, claim, agent, options, mayRestart },
      {
        ...deps,
        ...hide,
        messages: stores.messages,
        nextTurn: () => nextTurn(input),
        unusedAnswer,
      },
    )
    if (proxied !== undefined) void endAfter(pump, proxied, deps.log)
    return pump
  }
  async function record(
    claim: Claim,
    { turn, isRecorded }: StartPlan,
    messages: readonly NewMessage[],
  ): Promise<void> {
    const isWritten = await stores.messages.append(claim, messages, async (tx) => {
      if (!isRecorded && turn.id !== undefined) {
        await tx.run(finishCommand(turn.id, deps.clock.now()))
      }
      tx.emit("agents.commanded", { id: claim.runId })
    })
    invariant(isWritten, "a run that was claimed just now is ours")
  }
  /** An unavailable gateway fails the start, so that no agent bypasses it unnoticed. */
  async function proxyThrough(
    { agent, options }: PreparedStart,
    { run, claim, configuration }: AttemptInput,
  ): Promise<PreparedStart & { readonly proxied?: ProxiedRun | undefined }> {
    const tell = (text: string): void => {
      stores.messages
        .append(claim, [systemMessage(text)])
        .catch((error: unknown) => deps.log.warn("could not store a gateway notice", { error }))
    }
    const { environment } = options
    try {
      const proxied = await deps.proxy({ run, mode: configuration.gateway, environment, tell })
      if (proxied === undefined) return { agent, options }
      const pointed = { environment: { ...environment, ...proxied.environment } }
      return { agent, options: { ...options, ...pointed, firstArguments: proxied.args }, proxied }
    } catch (error) {
      if (!isAppError(error)) throw error
      return { agent: { ...agent, start: () => Promise.reject(error) }, options }
    }
  }

  return async (input: AttemptInput, onPump: (pump: SessionPump) => void): Promise<RunStatus> => {
    const { run, configuration } = input
    const isResumed = (run.sessionId ?? configuration.resume) !== undefined
    const isFresh = run.sessionId !== null && !(await deps.checkResumable(run))
    const turn = await compose(input)
    const plan = { turn, isFresh, mayRestart: isResumed && !isFresh, isRecorded: false }
    const first = await start(input, plan)
    onPump(first)
    const end = await first.done
    if (end !== "gone") return end
    const second = await start(input, { turn, isFresh: true, mayRestart: false, isRecorded: true })
    onPump(second)
    const secondEnd = await second.done
    return secondEnd === "gone" ? "failed" : secondEnd
  }
}

const FRESH =
  "The host no longer has the session of this run; a new session continues with the last messages as context"

async function restoredText(run: Run, turn: Turn, deps: AttemptDeps): Promise<string> {
  return composeTurn({ ...turn, by: null }, [await deps.restore(run)], (it) => it).text
}

async function endAfter(pump: Promise<SessionPump>, proxied: ProxiedRun, log: Log): Promise<void> {
  try {
    await pump.then((it) => it.done).catch(() => {})
    await proxied.end()
  } catch (error) {
    log.warn("could not close a proxied session", { error })
  }
}

type PreparedStart = { readonly agent: Agent; readonly options: StartOptions }

async function prepare(
  { run, configuration }: AttemptInput,
  { text, isFresh, redact }: StartPlan & Pick<AttemptDeps, "redact"> & { readonly text: string },
  deps: AttemptDeps,
): Promise<PreparedStart> {
  const agent = await deps.agent(run.type)
  const projectFolders = await deps.projectFolders(run.cwd)
  const search = await agent.find({ environment: deps.environment(), projectFolders })
  const options: StartOptions = {
    cwd: run.cwd,
    prompt: text,
    mode: run.mode,
    model: configuration.model,
    resume: isFresh ? undefined : (run.sessionId ?? configuration.resume),
    script: configuration.script,
    sources: configuration.sources,
    environment: { ...deps.environmentFor(run.type), ...configuration.env },
    program: search.kind === "found" ? search.program : "",
    signal: new AbortController().signal,
    redact,
    ...(await deps.rules(configuration.changes)),
  }
  if (search.kind === "found") return { agent, options }
  const missing = ProgramMissing({ type: agent.title, install: search.hint })
  return { agent: { ...agent, start: () => Promise.reject(missing) }, options }
}

/**
 * Puts the session's context parts in front of the turn. A host command such as `/compact` must
 * come first, so nothing is put before it.
 */
function composeTurn(
  { text, by }: Pick<QueuedTurn, "by" | "text">,
  parts: readonly ContextPart[],
  redact: (text: string) => string,
): Turn {
  const used = text.startsWith("/") ? [] : parts
  const shown = used.map(({ label, tokens, pack }) =>
    pack === undefined ? { label, tokens } : { label, tokens, pack },
  )
  const before = used.map((it) => `<context label="${it.label}">\n${it.text}\n</context>`)
  return {
    text: [...before, text].join("\n\n"),
    message: {
      type: "user",
      role: "user",
      content: redact(text),
      metadata: {
        ...(shown.length === 0 ? {} : { parts: shown }),
        ...(by === null ? {} : { by }),
      },
    },
  }
}

/**
 * The package that the run was started with, until a turn has included it: the first that is not a
 * host command. Later it would be older than the agent's changes.
 */
export async function pendingPack(
  run: Run,
  { pack }: Pick<RunConfiguration, "pack">,
  messages: MessageStore,
): Promise<string | undefined> {
  if (pack === undefined) return undefined
  // A new session has not seen the package, whatever the transcript says.
  const wasSent = run.sessionId !== null && (await messages.hasPackPart(run.id))
  return wasSent ? undefined : pack
}

/** A shorter value occurs in ordinary words, and redacting it would reveal it. */
const MIN_HIDDEN_CHARACTERS = 6

/** Names of the worktree in which a run works; hidden, they would make its paths unreadable. */
const SHOWN_VARIABLES = new Set(["QM_WORKTREE", "QM_WORKTREE_PATH"])

function hideVariables(
  { redact, redactEvent }: Pick<PumpDeps, "redact" | "redactEvent">,
  variables: Readonly<Record<string, string>>,
): Pick<PumpDeps, "redact" | "redactEvent"> {
  const values = Object.entries(variables)
    .flatMap(([name, value]) => (SHOWN_VARIABLES.has(name) ? [] : [value]))
    .filter((it) => it.length >= MIN_HIDDEN_CHARACTERS)
    .toSorted((a, b) => b.length - a.length)
  if (values.length === 0) return { redact, redactEvent }
  const hide = (text: string, write: (value: string) => string): string =>
    values.reduce((left, value) => left.replaceAll(write(value), "[redacted: variable]"), text)
  const inJson = (value: string): string => JSON.stringify(value).slice(1, -1)
  return {
    redact: (text) => redact(hide(text, (it) => it)),
    redactEvent: (event) =>
      redactEvent(AgentEvent.parse(JSON.parse(hide(JSON.stringify(event), inJson)))),
  }
}
