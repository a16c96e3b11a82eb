import { isAppError } from "#ground/base"
import type { RunStatus } from "#ground/contract"
import { VariablesGone } from "../../errors.ts"
import { endIdle, failRun } from "../kept/queries.ts"
import type { RunRow } from "../kept/rows.ts"
import type { Claim } from "../kept/writer.ts"
import { type Live, systemDraft } from "./live.ts"
import { createRoster, type Roster, type Working } from "./roster.ts"
import { createWorking, type Shelf, type Wanted, type WorkingDeps } from "./working.ts"

export type LauncherDeps = WorkingDeps & { maxRunning(): number }

export type Launcher = ReturnType<typeof createLauncher>

/** The agents at work in this process: started when there is room, and gone when they end. */
export function createLauncher(deps: LauncherDeps, shelf: Shelf) {
  const roster = createRoster()
  const starting = new Set<string>()
  const variables = createVariables()
  const begin = createBeginning({ deps, shelf, roster, variables })
  let isClosing = false

  const isFull = (): boolean => roster.size() + starting.size >= deps.maxRunning()

  async function launch(row: RunRow): Promise<void> {
    const { id } = row.run
    if (isClosing || starting.has(id) || roster.has(id)) return
    starting.add(id)
    try {
      const claim = await shelf.book.begin(row)
      if (claim === undefined) return
      await begin(row, claim, () => isClosing).catch((error: unknown) =>
        endByFault({ run: row.run, claim }, error, deps),
      )
    } finally {
      starting.delete(id)
    }
  }
  return {
    isFull,
    launch,
    /** Starts what waits, as long as there is room. */
    async fill(mayTake: (row: RunRow) => boolean): Promise<void> {
      const waiting = (await shelf.book.unfinished()).filter((it) => it.run.status === "queued")
      for (const row of waiting.filter(mayTake)) {
        if (isFull()) return
        await launch(row)
      }
    },
    find: roster.find,
    /** Whether it works here, or is about to. */
    has: (runId: string): boolean => starting.has(runId) || roster.has(runId),
    claims: roster.claims,
    /** Those whose agent is there to be told something. */
    ready: roster.ready,
    onChange: roster.onChange,
    keepVariables: variables.keep,
    forgetVariables: variables.forget,
    async close(): Promise<void> {
      isClosing = true
      const all = roster.all()
      await Promise.all(all.flatMap((it) => it.live?.stop("interrupted") ?? []))
      await Promise.all(all.map((it) => it.done))
    },
  }
}

type Beginning = {
  readonly deps: LauncherDeps
  readonly shelf: Shelf
  readonly roster: Roster
  readonly variables: ReturnType<typeof createVariables>
}

/** Puts a run that was claimed to work; it resolves before the work is done. */
function createBeginning({ deps, shelf, roster, variables }: Beginning) {
  const work = createWorking(deps, shelf)
  return async ({ run, hidden }: RunRow, claim: Claim, isClosing: () => boolean) => {
    await clearCommands(claim, shelf)
    const queued = await shelf.queue.nextTurn(run.id)
    if (queued === undefined) return endWithoutTurn({ run, claim }, deps)
    const env = variables.of(run.id)
    const missing = Object.keys(hidden.configuration.env ?? {}).filter((it) => !(it in env))
    if (missing.length > 0) throw VariablesGone({ id: run.id, names: missing.join(", ") })
    const wanted = { run, claim, configuration: { ...hidden.configuration, env }, queued }
    const onLive = (live: Live): void => {
      mine.live = live
      if (isClosing()) void live.stop("interrupted")
      roster.tell()
    }
    const done = work(wanted, onLive)
      .catch((error: unknown) => endByFault(wanted, error, deps))
      .finally(() => roster.remove(run.id))
    const mine: Working = { claim, live: undefined, done }
    roster.add(run.id, mine)
  }
}

/** For a process of before: what was wanted of it is over, but a text for its turn is a turn now. */
async function clearCommands(claim: Claim, { queue }: Shelf): Promise<void> {
  for (const { runId, wanted } of await queue.takeCommands([claim])) {
    if (wanted.kind === "steer") await queue.queueTurn(runId, wanted.text)
  }
}

/** The turn it waited with was taken out of the queue. */
async function endWithoutTurn({ run, claim }: Begun, deps: LauncherDeps): Promise<void> {
  const status = run.lastSeq === 0 ? "stopped" : "completed"
  const draft = systemDraft("Nothing was left in the queue")
  await deps.writer.append(claim, [draft], async (tx) => {
    await tx.run(endIdle(run.id, status, deps.clock.now()))
    tx.emit("agents.updated", { id: run.id, status })
  })
}

type Begun = Pick<Wanted, "run" | "claim">

/** Variables of one run, never kept in the store: they may hold keys. */
function createVariables() {
  const variables = new Map<string, Readonly<Record<string, string>>>()
  return {
    of: (runId: string): Readonly<Record<string, string>> => variables.get(runId) ?? {},
    keep: (runId: string, env: Readonly<Record<string, string>>) => void variables.set(runId, env),
    forget: (runId: string) => void variables.delete(runId),
  }
}

/** A fault of ours, or of the store: the run must not say that it works. */
async function endByFault(
  { run, claim }: Begun,
  error: unknown,
  deps: LauncherDeps,
): Promise<RunStatus> {
  deps.log.error("run ended by a fault", { run: run.id, error: String(error) })
  const draft = systemDraft("The run ended by a fault of Quartermaster or of its store")
  const words = isAppError(error) ? error.message : "A fault of Quartermaster; see its log."
  try {
    await deps.writer.append(claim, [draft], async (tx) => {
      await tx.run(failRun(run.id, words, deps.clock.now()))
      tx.emit("agents.updated", { id: run.id, status: "failed" })
    })
  } catch {
    // The store is what fails; at the next start the run is told as interrupted.
  }
  return "failed"
}
