import type { Clock, Log } from "#ground/base"
import type {
  ParsedInput,
  RemoteMessage,
  RemoteRun,
  RemoteState,
  SharedItem,
  SharedKind,
} from "#ground/contract"
import { ServerRefusedRunner, ServerUnreachable } from "./errors.ts"
import type { ServerClient } from "./server-client.ts"

const POLL_MS = 2_000
const LONGEST_BACKOFF_MS = 30_000
const SHARE_EVERY_MS = 60_000
const MOST_AT_ONCE = 100
/** The server accepts 1 MB. */
const LARGEST_REPORT_BYTES = 600_000

type Outcome = { readonly state: RemoteState; readonly note: string }

export type LocalRepository = {
  readonly name: string
  /** Read before each poll, so that a change reaches the server with the next one. */
  shares(): Promise<readonly SharedKind[]>
  /** The run here that this or an earlier process started for a run of the server. */
  find(runId: string): Promise<string | undefined>
  /** Stores the run with the id of the server's run in one transaction, and returns its id here. */
  start(run: RemoteRun): Promise<string>
  stop(localId: string): Promise<void>
  messages(localId: string, after: number): Promise<readonly RemoteMessage[]>
  /** Undefined while the run works. */
  outcome(localId: string): Promise<Outcome | undefined>
  items(kind: SharedKind): Promise<readonly SharedItem[]>
}

export type RunnerDeps = {
  readonly id: string
  readonly name: string
  readonly server: ServerClient
  readonly repositories: readonly LocalRepository[]
  /**
   * Undefined to agree, else the reason of the refusal. Decided on this machine only. The signal
   * aborts when the server no longer wants the run.
   */
  consent(run: RemoteRun, signal: AbortSignal): Promise<string | undefined>
  /** After each answer of the server. */
  contact?(): Promise<void>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  say(text: string): void
}

type Open = {
  readonly asking: Map<string, AbortController>
  readonly refused: Map<string, string>
  readonly localIds: Map<string, string>
}

/**
 * Asks the server for work until the signal aborts. A lost connection is tried again with growing
 * pauses; a refused token ends it with `REMOTE_REFUSED`.
 */
export async function runRunner(deps: RunnerDeps): Promise<void> {
  const { signal, clock } = deps
  const open: Open = { asking: new Map(), refused: new Map(), localIds: new Map() }
  let pauseMs = POLL_MS
  let attached = ""
  let sharedAt = 0
  while (!signal.aborted) {
    try {
      const attachment = await attachmentOf(deps)
      const attachmentJson = JSON.stringify(attachment)
      const isNew = attached === ""
      if (attached !== attachmentJson) {
        await deps.server.attach(attachment)
        attached = attachmentJson
        sharedAt = 0
      }
      if (isNew) deps.say(`Connected as ${deps.name}. Runs start here only with your consent.`)
      const { runs } = await deps.server.poll(deps.id)
      await deps.contact?.()
      endQuestions(runs, open)
      for (const run of runs) await serveRun(run, open, deps)
      if (clock.now() - sharedAt >= SHARE_EVERY_MS) {
        await shareItems(attachment.repositories, deps)
        sharedAt = clock.now()
      }
      pauseMs = POLL_MS
    } catch (error) {
      if (signal.aborted) return
      if (ServerRefusedRunner.is(error)) throw error
      deps.log.warn("the runner could not serve", { error })
      const isLost = ServerUnreachable.is(error)
      if (attached !== "" || !isLost) deps.say(`${textOf(error)} Trying again.`)
      if (isLost) attached = ""
      pauseMs = Math.min(pauseMs * 2, LONGEST_BACKOFF_MS)
    }
    await clock.sleep(pauseMs, signal).catch(() => {})
  }
}

/** Of runs that the server no longer wants. */
function endQuestions(runs: readonly RemoteRun[], { asking }: Open): void {
  for (const [id, question] of asking)
    if (!runs.some((it) => it.id === id && !it.isStopWanted)) question.abort()
}

async function attachmentOf(deps: RunnerDeps): Promise<ParsedInput<"remote.attach">> {
  const { id, name } = deps
  const repositories = deps.repositories.map(async (it) => ({
    name: it.name,
    shares: [...(await it.shares())],
  }))
  return { id, name, repositories: await Promise.all(repositories) }
}

async function serveRun(run: RemoteRun, open: Open, deps: RunnerDeps): Promise<void> {
  const repository = deps.repositories.find((it) => it.name === run.repository)
  if (repository === undefined)
    return tell(run, { state: "denied", note: "the repository is not shared" }, deps)
  // The question waits for its user while other runs go on.
  if (open.asking.has(run.id)) return
  const localId = open.localIds.get(run.id) ?? (await repository.find(run.id))
  if (localId !== undefined) {
    open.localIds.set(run.id, localId)
    return forward(run, { localId, repository }, deps)
  }
  if (run.state !== "waiting")
    return tell(run, { state: "failed", note: "the run is no longer on the machine" }, deps)
  if (run.isStopWanted) return tell(run, { state: "stopped", note: "" }, deps)
  const refusal = open.refused.get(run.id)
  if (refusal !== undefined) return tell(run, { state: "denied", note: refusal }, deps)
  const question = new AbortController()
  open.asking.set(run.id, question)
  void begin(run, { repository, question, open }, deps)
}

type Beginning = {
  readonly repository: LocalRepository
  readonly question: AbortController
  readonly open: Open
}

/** The next poll reports the outcome, also a refusal. */
async function begin(
  run: RemoteRun,
  { repository, question, open }: Beginning,
  deps: RunnerDeps,
): Promise<void> {
  try {
    const refusal = await deps.consent(run, question.signal)
    if (question.signal.aborted || deps.signal.aborted) return
    if (refusal !== undefined) open.refused.set(run.id, refusal)
    else {
      const localId = await repository.start(run)
      open.localIds.set(run.id, localId)
      deps.say(`Started ${localId} in ${repository.name}; \`qm attach ${localId}\` shows it.`)
    }
  } catch (error) {
    await tell(run, { state: "failed", note: textOf(error).slice(0, 2_000) }, deps).catch(() => {})
  } finally {
    open.asking.delete(run.id)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
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
    const page = await repository.messages(localId, after)
    for (const part of batches(page)) {
      const messages = part.map((it) => ({ ...it, run: run.id }))
      await deps.server.report({ id: deps.id, states: [], messages, items: [] })
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = last.seq
  }
  if (outcome !== undefined) {
    await tell(run, outcome, deps)
    return deps.say(`${localId} is ${outcome.state}.`)
  }
  if (run.state === "waiting") await tell(run, { state: "running", note: "" }, deps)
}

/** Requests that the server accepts by number and size. */
function batches<Item>(all: readonly Item[]): readonly (readonly Item[])[] {
  const parts: Item[][] = []
  let sizeBytes = LARGEST_REPORT_BYTES
  for (const item of all) {
    const itemBytes = Buffer.byteLength(JSON.stringify(item))
    sizeBytes += itemBytes
    const part = parts.at(-1)
    if (part !== undefined && sizeBytes <= LARGEST_REPORT_BYTES && part.length < MOST_AT_ONCE)
      part.push(item)
    else {
      parts.push([item])
      sizeBytes = itemBytes
    }
  }
  return parts
}

async function tell(run: RemoteRun, { state, note }: Outcome, deps: RunnerDeps): Promise<void> {
  const states = [{ run: run.id, state, note }]
  await deps.server.report({ id: deps.id, states, messages: [], items: [] })
}

async function shareItems(
  repositories: ParsedInput<"remote.attach">["repositories"],
  deps: RunnerDeps,
): Promise<void> {
  for (const { name, shares } of repositories) {
    const repository = deps.repositories.find((it) => it.name === name)
    for (const kind of shares)
      for (const items of batches((await repository?.items(kind)) ?? []))
        await deps.server.report({ id: deps.id, states: [], messages: [], items: [...items] })
  }
}
