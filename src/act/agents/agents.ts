import type { Clock, Ids, ProcessIdentity, TemporaryDirectory } from "#ground/base"
import type { AgentsTurns, Approval, ContextPart, Run } from "#ground/contract"
import type { Db } from "#ground/store"
import type { HostHome } from "#see/hosts"
import { createOrganising } from "./organise/organise.ts"
import { type ActiveRunsDeps, createActiveRuns } from "./runs/active-runs.ts"
import { createCommandHandler } from "./runs/command-handler.ts"
import { createHandoff, createImportExport, restoreRun } from "./runs/import-export.ts"
import { createRunListeners } from "./runs/live-text.ts"
import { createRecorder } from "./runs/recorded-run.ts"
import { createRecovery } from "./runs/recovery.ts"
import { pendingPack } from "./runs/run-attempt.ts"
import { createRunCommands } from "./runs/run-commands.ts"
import { createTitles } from "./runs/run-title.ts"
import type { Owner } from "./runs/stores/run-store.ts"
import { createStores } from "./runs/stores/stores.ts"
import { createSupervisor } from "./runs/supervisor.ts"
import { createSessionFiles } from "./sessions/session-writer.ts"
import { createViews } from "./views/views.ts"

export type AgentsDeps = Omit<ActiveRunsDeps, "notifyText" | "turnEnded" | "restore"> & {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
  directoryProblem(directory: string): Promise<string | undefined>
  belongsToRepository(directory: string): Promise<boolean>
  keptPack(given: string): Promise<string>
  root(): string
  isAlive(identity: ProcessIdentity): boolean
  endProcess(identity: ProcessIdentity): Promise<void>
  onAdvance(listener: () => void): () => void
  wantsTitles(): boolean
  temporaryDirectory(): Promise<TemporaryDirectory>
  redactJson(value: unknown): unknown
  hostPlaces(): HostHome
  readonly sessionsDirectory: string
  resolve(path: string): string
  count(): Promise<(text: string) => number>
  /** Random, so that no text can contain it. */
  delimiter(): string
}

export type Agents = ReturnType<typeof createAgents>

export function createAgents(deps: AgentsDeps) {
  const listeners = createRunListeners(deps.log)
  const stores = createStores({ ...deps, notify: listeners.notifyMessages })
  const { runs, messages, queue, approvals } = stores
  const titles = createTitles({ ...deps, runs, messages })
  const attempts = {
    ...deps,
    notifyText: listeners.notifyText,
    turnEnded: titles.turnEnded,
    restore: (run: Run) => restoreRun(run, { ...deps, stores }),
  }
  const activeRuns = createActiveRuns(attempts, stores)
  const recovery = createRecovery({ ...deps, stores, activeRuns })
  const handleCommands = createCommandHandler({ ...deps, stores, activeRuns })
  const supervisor = createSupervisor({ ...deps, stores, activeRuns, recovery, handleCommands })
  const { notifyMessages } = listeners
  const commands = createRunCommands({ ...deps, stores, activeRuns, supervisor, notifyMessages })
  const organising = createOrganising(deps)
  const files = createSessionFiles({ ...deps, stores, listeners })

  return {
    ...commands,
    ...createImportExport({ ...deps, stores }),
    ...createViews({ stores, clock: deps.clock }),
    organising,
    title: titles.write,
    /** Records a session that another program drives. */
    record: createRecorder({ ...deps, stores }),
    handoff: createHandoff({ ...deps, stores, start: commands.start }),
    get: async (id: string): Promise<Run> => (await runs.find(id)).run,
    findBySession: async (sessionId: string): Promise<Run | undefined> =>
      (await runs.findBySession(sessionId))?.run,
    list: runs.list,
    messages: messages.list,
    message: messages.find,
    reads: messages.reads,
    appendFrom: messages.appendFrom,
    async approvals(runId?: string): Promise<Approval[]> {
      if (runId !== undefined) await runs.find(runId)
      return approvals.list(runId)
    },
    approval: approvals.find,
    async queued(id: string): Promise<AgentsTurns> {
      const { run } = await runs.find(id)
      const turns = await queue.turns(run.id)
      return { turns, canSteer: activeRuns.find(id)?.pump?.canSteer ?? false }
    },
    async parts(id: string): Promise<ContextPart[]> {
      const { run, hidden } = await runs.find(id)
      const pack = await pendingPack(run, hidden.configuration, messages)
      return [...(await deps.contextParts(run, { pack }))]
    },
    rewriteTurn: queue.rewriteTurn,
    dropTurn: queue.dropTurn,
    isHere: (id: string): boolean => activeRuns.find(id) !== undefined,
    onMessages: listeners.onMessages,
    onDelta: listeners.onDelta,
    fill: supervisor.fill,
    recover: supervisor.recover,
    stop: recovery.stop,
    watch(): void {
      supervisor.watch()
      void files.rebuild()
    },
    async remove(id: string): Promise<void> {
      await recovery.stop(id)
      await runs.remove(id)
      activeRuns.forgetVariables(id)
      await files.deleted(id)
    },
    async close(): Promise<void> {
      await supervisor.close()
      await titles.close()
      await files.close()
      messages.close()
    },
  }
}
