import type { Clock, Log } from "#ground/base"
import type {
  ParsedInput,
  RemoteMessage,
  RemoteRun,
  RemoteState,
  SharedItem,
  SharedKind,
} from "#ground/contract"
import { ServerRefusedRunner } from "./errors.ts"
import type { ServerClient } from "./server-client.ts"

const POLL_MS = 2_000
const LONGEST_BACKOFF_MS = 30_000
const SHARE_EVERY_MS = 60_000
const MESSAGES_AT_ONCE = 100

export type LocalRepository = {
  readonly name: string
  readonly shares: readonly SharedKind[]
  /** Starts an agent here and returns the id of the run in this repository. */
  start(run: Pick<RemoteRun, "type" | "prompt" | "mode">): Promise<string>
  stop(localId: string): Promise<void>
  messages(localId: string, after: number): Promise<readonly RemoteMessage[]>
  /** Undefined while the run works. */
  outcome(
    localId: string,
  ): Promise<{ readonly state: RemoteState; readonly note: string } | undefined>
  items(kind: SharedKind): Promise<readonly SharedItem[]>
}

/** Written before a run starts, so that no crash starts it twice; "" until it has an id here. */
export type StartedRuns = {
  get(runId: string): string | undefined
  set(runId: string, localId: string): Promise<void>
}

export type RunnerDeps = {
  readonly id: string
  readonly name: string
  readonly server: ServerClient
  readonly repositories: readonly LocalRepository[]
  readonly started: StartedRuns
  /** Undefined to agree, else the reason of the refusal. Decided on this machine only. */
  consent(run: RemoteRun): Promise<string | undefined>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  say(text: string): void
}

/**
 * Asks the server for work until the signal aborts. A lost connection is tried again with growing
 * pauses; a refused token ends it with `REMOTE_REFUSED`.
 */
export async function runRunner(deps: RunnerDeps): Promise<void> {
  const { signal, clock } = deps
  let pauseMs = POLL_MS
  let isAttached = false
  let sharedAt = 0
  const asking = new Map<string, Promise<void>>()
  while (!signal.aborted) {
    try {
      if (!isAttached) await deps.server.attach(attachment(deps))
      if (!isAttached)
        deps.say(`Connected as ${deps.name}. Runs start here only with your consent.`)
      isAttached = true
      const { runs } = await deps.server.poll(deps.id)
      for (const run of runs) await serveRun(run, asking, deps)
      if (clock.now() - sharedAt >= SHARE_EVERY_MS) {
        await shareItems(deps)
        sharedAt = clock.now()
      }
      pauseMs = POLL_MS
    } catch (error) {
      if (signal.aborted) return
      if (ServerRefusedRunner.is(error)) throw error
      deps.log.warn("the server did not answer", { error })
      if (isAttached) deps.say("Connection lost; trying again.")
      isAttached = false
      pauseMs = Math.min(pauseMs * 2, LONGEST_BACKOFF_MS)
    }
    await clock.sleep(pauseMs, signal).catch(() => {})
  }
}

function attachment({ id, name, repositories }: RunnerDeps): ParsedInput<"remote.attach"> {
  const listed = repositories.map((it) => ({ name: it.name, shares: [...it.shares] }))
  return { id, name, repositories: listed }
}

async function serveRun(
  run: RemoteRun,
  asking: Map<string, Promise<void>>,
  deps: RunnerDeps,
): Promise<void> {
  const repository = deps.repositories.find((it) => it.name === run.repository)
  if (repository === undefined)
    return tell(run, { state: "denied", note: "the repository is not shared" }, deps)
  const localId = deps.started.get(run.id)
  if (localId === undefined && run.state === "waiting") {
    if (run.isStopWanted) return tell(run, { state: "stopped", note: "" }, deps)
    // The question waits for its user while other runs go on.
    if (!asking.has(run.id)) asking.set(run.id, begin(run, repository, deps))
    return
  }
  if (localId === undefined || localId === "") {
    if (asking.has(run.id)) return
    return tell(run, { state: "failed", note: "the runner ended before the run had started" }, deps)
  }
  await forward(run, { localId, repository }, deps)
}

async function begin(run: RemoteRun, repository: LocalRepository, deps: RunnerDeps): Promise<void> {
  try {
    const refusal = await deps.consent(run)
    if (refusal !== undefined) return await tell(run, { state: "denied", note: refusal }, deps)
    await deps.started.set(run.id, "")
    const localId = await repository.start(run)
    await deps.started.set(run.id, localId)
    await tell(run, { state: "running", note: "" }, deps)
    deps.say(`Started ${localId} in ${repository.name}; \`qm attach ${localId}\` shows it there.`)
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    await tell(run, { state: "failed", note: note.slice(0, 2_000) }, deps).catch(() => {})
  }
}

/** From the number that the server has: nothing is lost, and what it has twice is stored once. */
async function forward(
  run: RemoteRun,
  { localId, repository }: { readonly localId: string; readonly repository: LocalRepository },
  deps: RunnerDeps,
): Promise<void> {
  if (run.isStopWanted) await repository.stop(localId)
  const outcome = await repository.outcome(localId)
  let after = run.lastSeq
  for (;;) {
    const page = (await repository.messages(localId, after)).slice(0, MESSAGES_AT_ONCE)
    const last = page.at(-1)
    if (last === undefined) break
    const messages = page.map((it) => ({ ...it, run: run.id }))
    await deps.server.report({ id: deps.id, states: [], messages, items: [] })
    after = last.seq
  }
  if (outcome !== undefined) return tell(run, { state: outcome.state, note: outcome.note }, deps)
  if (run.state === "waiting") await tell(run, { state: "running", note: "" }, deps)
}

async function tell(
  run: RemoteRun,
  change: { readonly state: RemoteState; readonly note: string },
  deps: RunnerDeps,
): Promise<void> {
  const states = [{ run: run.id, ...change }]
  await deps.server.report({ id: deps.id, states, messages: [], items: [] })
}

async function shareItems(deps: RunnerDeps): Promise<void> {
  for (const repository of deps.repositories) {
    for (const kind of repository.shares) {
      const items = [...(await repository.items(kind))]
      if (items.length > 0)
        await deps.server.report({ id: deps.id, states: [], messages: [], items })
    }
  }
}
