import { invariant, isAppError, type Log } from "#ground/base"
import type {
  AgentType,
  ContextPart,
  QueuedTurn,
  Run,
  RunConfiguration,
  RunStatus,
} from "#ground/contract"
import type { Agent, StartOptions } from "../../agent.ts"
import { ProgramMissing } from "../../errors.ts"
import type { Draft } from "../../event-message.ts"
import type { Approvals } from "../kept/approvals.ts"
import type { Book } from "../kept/book.ts"
import { finishCommand } from "../kept/command-queries.ts"
import type { Queue } from "../kept/queue.ts"
import type { Claim } from "../kept/writer.ts"
import { duePack } from "./due-pack.ts"
import { hideVariables } from "./hide-variables.ts"
import { goLive, type Live, systemDraft } from "./live.ts"
import type { LiveDeps, Turn } from "./state.ts"
import { composeTurn } from "./turns.ts"

/** For which turn something is put in front. */
export type AskedParts = {
  /** A kept package that goes with it. */
  readonly pack?: string | undefined
  /** What is said; absent when somebody only looks at what would be put in front of it. */
  readonly turn?: string
}

export type WorkingDeps = Omit<LiveDeps, "nextTurn" | "unusedAnswer"> & {
  readonly log: Log
  agent(type: AgentType): Promise<Agent>
  /** What a child sees of the environment, by the allow-list of its kind. */
  environmentFor(type: AgentType): Readonly<Record<string, string>>
  environment(): Readonly<Record<string, string | undefined>>
  projectFolders(directory: string): Promise<readonly string[]>
  /** What is put in front of each turn, and of this one a kept package. */
  contextParts(run: Run, asked: AskedParts): Promise<readonly ContextPart[]>
  /** What a person's rules say, and of files the run may not change; read anew before it starts. */
  rules(changes?: readonly string[]): Promise<Pick<StartOptions, "verdict" | "restricting">>
  /** Whether the host still has a session that can be gone on with. */
  checkResumable(run: Run): Promise<boolean>
  /** The run so far, for a fresh session that knows nothing of it. */
  restore(run: Run): Promise<ContextPart>
  /** Lets the requests of its agent go through the gateway, when that is wanted. */
  carry(wanted: CarryAsked): Promise<CarriedRun | undefined>
}

/** A run whose agent is about to start, and how to say something in its transcript. */
export type CarryAsked = {
  readonly run: Run
  readonly mode: RunConfiguration["gateway"]
  readonly environment: StartOptions["environment"]
  tell(text: string): void
}

/** How an agent's process finds the gateway. */
export type CarriedRun = {
  readonly environment: StartOptions["environment"]
  readonly args: readonly string[]
  /** When its process has ended. */
  end(): Promise<void>
}

export type Shelf = {
  readonly book: Book
  readonly queue: Queue
  readonly approvals: Approvals
}

export type Wanted = {
  readonly run: Run
  readonly claim: Claim
  readonly configuration: RunConfiguration
  readonly queued: QueuedTurn
}

type Composed = Pick<Wanted, "run" | "configuration" | "queued">

/** How one process of the agent is started. */
type Way = {
  readonly turn: Turn
  /** A session of its own, told what was said before. */
  readonly isFresh: boolean
  readonly mayRestart: boolean
  /** Whether the turn is in the transcript already. */
  readonly isSaid: boolean
}

/**
 * The work on a run, from a claim to its end. A session that the host no longer has is replaced
 * once by a fresh one that knows of it.
 */
export function createWorking(deps: WorkingDeps, shelf: Shelf) {
  const { compose, nextTurn } = createComposing(deps, shelf)

  async function firstWay(wanted: Wanted): Promise<Way> {
    const { run, configuration } = wanted
    const isResumed = (run.sessionId ?? configuration.resume) !== undefined
    const isFresh = run.sessionId !== null && !(await deps.checkResumable(run))
    const turn = await compose(wanted)
    return { turn, isFresh, mayRestart: isResumed && !isFresh, isSaid: false }
  }
  async function startOne(wanted: Wanted, way: Way): Promise<Live> {
    const { claim } = wanted
    const run = way.isFresh ? { ...wanted.run, sessionId: null } : wanted.run
    if (way.isFresh) await shelf.book.forgetSession(run.id)
    const text = way.isFresh ? await restored(run, way.turn, deps) : way.turn.text
    const drafts = [
      ...(way.isSaid ? [] : [way.turn.draft]),
      ...(way.isFresh ? [systemDraft(FRESH)] : []),
    ]
    if (drafts.length > 0) await append({ claim, drafts, way }, deps)
    const prepared = await prepare({ ...wanted, run }, { text, ...way }, deps)
    const { agent, options, carried } = await carriedBy(prepared, { ...wanted, run }, deps)
    const job = { run, claim, agent, options, mayRestart: way.mayRestart }
    const live = goLive(job, {
      ...deps,
      ...hideVariables(deps, wanted.configuration.env ?? {}),
      nextTurn: () => nextTurn(wanted),
      unusedAnswer: (runId, digest) => unusedAnswer(shelf.approvals, runId, digest),
    })
    if (carried !== undefined) void endAfter(live, carried, deps.log)
    return live
  }
  return async (wanted: Wanted, onLive: (live: Live) => void): Promise<RunStatus> => {
    const way = await firstWay(wanted)
    const first = await startOne(wanted, way)
    onLive(first)
    const ended = await first.done
    if (ended !== "gone") return ended
    const again = { ...way, isFresh: true, mayRestart: false, isSaid: true }
    const second = await startOne(wanted, again)
    onLive(second)
    const end = await second.done
    return end === "gone" ? "failed" : end
  }
}

/** Turns as they are said: with what stands in front of them. */
function createComposing(deps: WorkingDeps, { book, queue }: Shelf) {
  async function compose({ run, configuration, queued }: Composed): Promise<Turn> {
    const pack = await duePack(run, configuration, book)
    const parts = await deps.contextParts(run, { pack, turn: queued.text })
    return { ...composeTurn(queued.text, parts, deps.redact), id: queued.id }
  }
  return {
    compose,
    async nextTurn({ run: before, configuration }: Wanted): Promise<Turn | undefined> {
      const queued = await queue.nextTurn(before.id)
      if (queued === undefined) return undefined
      // As it stands now: when its work began it may have had no session.
      const { run } = await book.find(before.id)
      return compose({ run, configuration, queued })
    },
  }
}

type Said = { readonly claim: Claim; readonly drafts: readonly Draft[]; readonly way: Way }

/** The turn leaves the queue with its words in the transcript, or stays in it. */
async function append({ claim, drafts, way }: Said, deps: WorkingDeps): Promise<void> {
  const { id } = way.turn
  const written = await deps.writer.append(claim, drafts, async (tx) => {
    if (!way.isSaid && id !== undefined) await tx.run(finishCommand(id, deps.clock.now()))
    tx.emit("agents.commanded", { id: claim.runId })
  })
  invariant(written.kind === "written", "a run that was claimed just now is ours")
}

async function restored(run: Run, turn: Turn, deps: WorkingDeps): Promise<string> {
  return composeTurn(turn.text, [await deps.restore(run)], (it) => it).text
}

const FRESH =
  "The host no longer has the session of this run: a fresh one goes on, told what was said last"

async function unusedAnswer(approvals: Approvals, runId: string, digest: string) {
  const found = await approvals.unused(runId, digest)
  if (found === undefined || !(await approvals.use(found.id))) return undefined
  const decision = found.status === "allowed" ? "allow" : "deny"
  return { decision, note: found.note ?? undefined, by: found.answeredBy ?? "a person" } as const
}

/** However its work ends; the room that carries it waits for this when it closes. */
async function endAfter(live: Promise<Live>, carried: CarriedRun, log: Log): Promise<void> {
  try {
    await live.then((it) => it.done).catch(() => {})
    await carried.end()
  } catch (error) {
    log.warn("a carry was not ended as it should", { error })
  }
}

type Ready = { readonly agent: Agent; readonly options: StartOptions }

/** A gateway that cannot be had is a failed start, not an agent that goes past it unseen. */
async function carriedBy(
  { agent, options }: Ready,
  { run, claim, configuration }: Wanted,
  deps: WorkingDeps,
): Promise<Ready & { readonly carried?: CarriedRun | undefined }> {
  const say = (text: string) => deps.writer.append(claim, [systemDraft(text)])
  const tell = (text: string): void => {
    say(text).catch((error: unknown) => deps.log.warn("a notice was not kept", { error }))
  }
  const { environment } = options
  try {
    const carried = await deps.carry({ run, mode: configuration.gateway, environment, tell })
    if (carried === undefined) return { agent, options }
    const pointed = { environment: { ...environment, ...carried.environment } }
    const firstArguments = carried.args
    return { agent, options: { ...options, ...pointed, firstArguments }, carried }
  } catch (error) {
    if (!isAppError(error)) throw error
    return { agent: { ...agent, start: () => Promise.reject(error) }, options }
  }
}

async function prepare(
  { run, configuration }: Wanted,
  { text, isFresh }: Way & { readonly text: string },
  deps: WorkingDeps,
): Promise<Ready> {
  const agent = await deps.agent(run.type)
  const projectFolders = await deps.projectFolders(run.cwd)
  const found = await agent.find({ environment: deps.environment(), projectFolders })
  const options: StartOptions = {
    cwd: run.cwd,
    prompt: text,
    mode: run.mode,
    model: configuration.model,
    resume: isFresh ? undefined : (run.sessionId ?? configuration.resume),
    script: configuration.script,
    sources: configuration.sources,
    environment: { ...deps.environmentFor(run.type), ...configuration.env },
    program: found.kind === "found" ? found.program : "",
    signal: new AbortController().signal,
    redact: hideVariables(deps, configuration.env ?? {}).redact,
    ...(await deps.rules(configuration.changes)),
  }
  return { agent: found.kind === "found" ? agent : missing(agent, found.hint), options }
}

/** Stands in for a program that is not here, so that its run fails like any other start. */
function missing(agent: Agent, hint: string): Agent {
  return {
    ...agent,
    start: async () => Promise.reject(ProgramMissing({ type: agent.title, install: hint })),
  }
}
