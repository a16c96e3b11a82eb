import { isAppError } from "#ground/base"
import type { Run, RunStatus } from "#ground/contract"
import { VariablesGone } from "../errors.ts"
import { systemMessage } from "../event-message.ts"
import { type AttemptDeps, createRunAttempt } from "./run-attempt.ts"
import type { SessionPump } from "./session-pump.ts"
import { type Claim, endIdleRun, failRun, type RunRow } from "./stores/run-store.ts"
import type { Stores } from "./stores/stores.ts"

export type ActiveRunsDeps = AttemptDeps & { maxRunning(): number }

type ActiveRun = {
  readonly claim: Claim
  pump: SessionPump | undefined
  readonly done: Promise<RunStatus>
}

export type ActiveRuns = ReturnType<typeof createActiveRuns>

export function createActiveRuns(deps: ActiveRunsDeps, stores: Stores) {
  const active = new Map<string, ActiveRun>()
  const starting = new Set<string>()
  const listeners = new Set<() => void>()
  /** Never stored: they may contain keys. */
  const variables = new Map<string, Readonly<Record<string, string>>>()
  const runAttempt = createRunAttempt(deps, stores)
  let isClosing = false

  const isFull = (): boolean => active.size + starting.size >= deps.maxRunning()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  async function begin({ run, hidden }: RunRow, claim: Claim): Promise<void> {
    await clearCommands(claim, stores)
    const queued = await stores.queue.nextTurn(run.id)
    if (queued === undefined) return endWithoutTurn(run, claim)
    const env = variables.get(run.id) ?? {}
    const missing = Object.keys(hidden.configuration.env ?? {}).filter((it) => !(it in env))
    if (missing.length > 0) throw VariablesGone({ id: run.id, names: missing.join(", ") })
    const input = { run, claim, configuration: { ...hidden.configuration, env }, queued }
    const onPump = (pump: SessionPump): void => {
      activeRun.pump = pump
      if (isClosing) void pump.stop("interrupted")
      notify()
    }
    const done = runAttempt(input, onPump)
      .catch((error: unknown) => failByFault(run, claim, error))
      .finally(() => {
        active.delete(run.id)
        notify()
      })
    const activeRun: ActiveRun = { claim, pump: undefined, done }
    active.set(run.id, activeRun)
  }
  async function endWithoutTurn(run: Run, claim: Claim): Promise<void> {
    const status = run.lastSeq === 0 ? "stopped" : "completed"
    const message = systemMessage("The queue was empty, so nothing was sent")
    await stores.messages.append(claim, [message], async (tx) => {
      await tx.run(endIdleRun(run.id, status, deps.clock.now()))
      tx.emit("agents.updated", { id: run.id, status })
    })
  }
  async function failByFault(run: Run, claim: Claim, error: unknown): Promise<RunStatus> {
    deps.log.error("run failed with an internal error", { run: run.id, error: String(error) })
    const message = systemMessage(
      "The run ended because of an internal error of Quartermaster or its store",
    )
    const text = isAppError(error) ? error.message : "Internal error of Quartermaster; see its log."
    try {
      await stores.messages.append(claim, [message], async (tx) => {
        await tx.run(failRun(run.id, text, deps.clock.now()))
        tx.emit("agents.updated", { id: run.id, status: "failed" })
      })
    } catch {
      // The store fails; recovery marks the run as interrupted at the next start.
    }
    return "failed"
  }
  async function launch(row: RunRow): Promise<void> {
    const { run } = row
    if (isClosing || starting.has(run.id) || active.has(run.id)) return
    starting.add(run.id)
    try {
      const claim = await stores.runs.begin(row)
      if (claim === undefined) return
      await begin(row, claim).catch((error: unknown) => failByFault(run, claim, error))
    } finally {
      starting.delete(run.id)
    }
  }
  return {
    isFull,
    launch,
    async launchQueued(mayTake: (row: RunRow) => boolean): Promise<void> {
      const queued = (await stores.runs.unfinished()).filter((it) => it.run.status === "queued")
      for (const row of queued.filter(mayTake)) {
        if (isFull()) return
        await launch(row)
      }
    },
    find: (runId: string): ActiveRun | undefined => active.get(runId),
    has: (runId: string): boolean => starting.has(runId) || active.has(runId),
    claims: (): Claim[] => [...active.values()].map((it) => it.claim),
    startedClaims: (): Claim[] =>
      [...active.values()].filter((it) => it.pump !== undefined).map((it) => it.claim),
    onChange: (listener: () => void) => void listeners.add(listener),
    setVariables: (runId: string, env: Readonly<Record<string, string>>) =>
      void variables.set(runId, env),
    forgetVariables: (runId: string) => void variables.delete(runId),
    async close(): Promise<void> {
      isClosing = true
      const all = [...active.values()]
      await Promise.all(all.flatMap((it) => it.pump?.stop("interrupted") ?? []))
      await Promise.all(all.map((it) => it.done))
    },
  }
}

/**
 * Commands for an earlier process are void, except that a message for its turn becomes a queued
 * turn.
 */
async function clearCommands(claim: Claim, { queue }: Stores): Promise<void> {
  for (const { runId, command } of await queue.takeCommands([claim])) {
    if (command.kind === "steer") await queue.queueTurn(runId, command.text, command.by)
  }
}
