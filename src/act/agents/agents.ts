import type { Clock, Ids, ProcessIdentity, TemporaryDirectory } from "#ground/base"
import type { AgentsTurns, Approval, ContextPart, Run } from "#ground/contract"
import type { Db } from "#ground/store"
import { createCare } from "./runs/care.ts"
import { createDriving } from "./runs/driving.ts"
import { createHub, type Hub } from "./runs/hub.ts"
import { createKeeping } from "./runs/keeping.ts"
import { createApprovals } from "./runs/kept/approvals.ts"
import { type Book, createBook } from "./runs/kept/book.ts"
import type { RunChange } from "./runs/kept/queries.ts"
import { createQueue } from "./runs/kept/queue.ts"
import type { Owner } from "./runs/kept/rows.ts"
import { createWriter } from "./runs/kept/writer.ts"
import { createObeying } from "./runs/obey.ts"
import { keepFiles } from "./runs/session-files.ts"
import { createSettling } from "./runs/settle.ts"
import { duePack } from "./runs/work/due-pack.ts"
import { createLauncher, type Launcher, type LauncherDeps } from "./runs/work/launcher.ts"
import { restoreRun } from "./runs/work/restore-run.ts"
import { createTitling } from "./runs/work/titling.ts"
import type { Shelf } from "./runs/work/working.ts"
import type { HostPlaces } from "./sessions/find-sessions.ts"
import { createViews } from "./views/view-cache.ts"

export type AgentsDeps = Omit<LauncherDeps, "writer" | "tellDelta" | "turnEnded" | "restore"> & {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
  directoryProblem(directory: string): Promise<string | undefined>
  belongsToRepository(directory: string): Promise<boolean>
  /** The id of a kept package, of the newest for `last`; rejects where there is none. */
  keptPack(given: string): Promise<string>
  /** The repository in which agents work unless told otherwise. */
  root(): string
  isAlive(identity: ProcessIdentity): boolean
  endProcess(identity: ProcessIdentity): Promise<void>
  /** Calls back when the store has grown, whoever wrote. */
  onAdvance(listener: () => void): () => void
  wantsTitles(): boolean
  temporaryDirectory(): Promise<TemporaryDirectory>
  redactJson(value: unknown): unknown
  /** Where hosts keep their sessions. */
  hostPlaces(): HostPlaces
  /** Where each session is also written as a file. */
  readonly sessionsDirectory: string
  /** A path as the person gave it, made absolute. */
  resolve(path: string): string
  count(): Promise<(text: string) => number>
  /** Random, so that no text can hold it. */
  delimiter(): string
}

export type Agents = ReturnType<typeof createAgents>

/** Runs of agents: started, fed, watched, stopped and kept. */
export function createAgents(deps: AgentsDeps) {
  const hub = createHub(deps.log)
  const writer = createWriter({ ...deps, tell: hub.advanced })
  const book = createBook(deps)
  const shelf: Shelf = { book, queue: createQueue(deps), approvals: createApprovals(deps) }
  const titling = createTitling({ ...deps, book })
  const restore = (run: Run): Promise<ContextPart> => restoreRun(run, { ...deps, book })
  const told = { writer, tellDelta: hub.written, turnEnded: titling.turnEnded, restore }
  const launcher = createLauncher({ ...deps, ...told }, shelf)
  const settling = createSettling({ ...deps, ...shelf, writer, launcher })
  const obey = createObeying({ ...deps, ...shelf, launcher })
  const care = createCare({ ...deps, ...shelf, launcher, settling, obey })
  const driving = createDriving({ ...deps, ...shelf, launcher, care })
  const files = keepFiles({ ...deps, book, hub })

  return {
    ...createReading({ ...deps, ...shelf, launcher }),
    ...createKeeping({ ...deps, book, start: driving.start }),
    ...driving,
    /** Whether this very process works on it. */
    isHere: (id: string): boolean => launcher.find(id) !== undefined,
    onMessages: hub.onMessages,
    onDelta: hub.onDelta,
    fill: care.fill,
    recover: care.recover,
    stop: settling.stop,
    /** From now on this process starts what waits and takes over what nobody works on. */
    watch(): void {
      care.watch()
      void files.rebuild()
    },
    rewriteTurn: shelf.queue.rewriteTurn,
    dropTurn: shelf.queue.dropTurn,
    edit: (id: string, change: RunChange): Promise<Run> =>
      editRun(id, redacted(change, deps.redact), { book, hub }),
    async remove(id: string): Promise<void> {
      await settling.stop(id)
      await book.remove(id)
      launcher.forgetVariables(id)
      await files.deleted(id)
    },
    async close(): Promise<void> {
      await care.close()
      await titling.close()
      await files.close()
      writer.close()
    },
  }
}

/** What people write about a run is kept and shown like what agents say. */
function redacted(change: RunChange, redact: (text: string) => string): RunChange {
  const { title, labels, workflow } = change
  return {
    ...change,
    title: title === undefined ? undefined : redact(title),
    labels: labels?.map((it) => redact(it)),
    workflow: workflow === undefined ? undefined : redact(workflow),
  }
}

async function editRun(
  id: string,
  change: RunChange,
  { book, hub }: { readonly book: Book; readonly hub: Hub },
): Promise<Run> {
  const run = await book.edit(id, change)
  hub.advanced(id, run.lastSeq)
  return run
}

type ReadingDeps = Shelf &
  Pick<AgentsDeps, "clock" | "contextParts"> & { readonly launcher: Launcher }

function createReading({ book, queue, approvals, launcher, clock, contextParts }: ReadingDeps) {
  const get = async (id: string): Promise<Run> => (await book.find(id)).run
  return {
    get,
    list: book.list,
    messages: book.messages,
    message: book.message,
    ...createViews({ book, clock }),
    approvals: approvals.list,
    approval: async (id: string): Promise<Approval> => (await approvals.find(id)).approval,
    /** The turns that wait, and whether the agent could take one at once. */
    async queued(id: string): Promise<AgentsTurns> {
      const turns = await queue.turns(id)
      return { turns, canSteer: launcher.find(id)?.live?.canSteer ?? false }
    },
    /** What will be put in front of the next turn. */
    async parts(id: string): Promise<ContextPart[]> {
      const { run, hidden } = await book.find(id)
      return [
        ...(await contextParts(run, { pack: await duePack(run, hidden.configuration, book) })),
      ]
    },
  }
}
