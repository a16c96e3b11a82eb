import path from "node:path"
import { type Clock, firstLine, type Ids } from "#ground/base"
import type { AgentMode, AgentType, Approval, Run, RunConfiguration } from "#ground/contract"
import { BudgetSpentAlready, DirectoryUnusable, RunNotWorking } from "../errors.ts"
import type { ActiveRuns } from "./active-runs.ts"
import { budgetOf, budgetState, isEnded } from "./run-progress.ts"
import { type AnswerInput, answerPrompt } from "./stores/approval-store.ts"
import { LEASE_MS, type Owner, type RunChange } from "./stores/run-store.ts"
import type { Stores } from "./stores/stores.ts"
import type { Supervisor } from "./supervisor.ts"

export type StartInput = {
  readonly type: AgentType
  readonly prompt: string
  readonly configuration: RunConfiguration
  /** The person of the team who starts it. */
  readonly by?: string | undefined
}

type Deps = {
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
  readonly stores: Stores
  readonly activeRuns: ActiveRuns
  readonly supervisor: Supervisor
  redact(text: string): string
  directoryProblem(directory: string): Promise<string | undefined>
  belongsToRepository(directory: string): Promise<boolean>
  /** Relative to the directory of the caller. */
  resolve(path: string): string
  root(): string
  /** Returns the id of a stored package, of the newest for `last`; rejects if there is none. */
  keptPack(given: string): Promise<string>
  notifyMessages(runId: string, lastSeq: number): void
}

type StartOptions = {
  /** Only this process starts it. */
  readonly isHere?: boolean
  /** The prompt is a user's, so a recipe's name in it starts that recipe (see `show/app`). */
  readonly mayNameRecipe?: boolean
}

type SendOptions = {
  /** Into the current turn, if the host takes it. */
  readonly now?: boolean
  /** The person of the team who sends it. */
  readonly by?: string | undefined
  /** The variables of the start, for a process that did not start the run: they are not stored. */
  readonly env?: Readonly<Record<string, string>>
}

export function createRunCommands(deps: Deps) {
  const { stores, activeRuns, supervisor, redact } = deps
  const { runs, queue, approvals } = stores

  async function resume(id: string): Promise<void> {
    await activeRuns.find(id)?.done
    const row = await runs.find(id)
    if (!isEnded(row.run.status)) return supervisor.fillSoon()
    if (!activeRuns.isFull()) return activeRuns.launch(row)
    await runs.queueAgain(row, supervisor.isWatching() ? null : deps.owner)
    supervisor.fillSoon()
  }
  return {
    async start(input: StartInput, how: StartOptions = {}): Promise<Run> {
      const { env = {}, pack, ...rest } = input.configuration
      // `last` is resolved to the package that is newest now.
      const packOption = pack === undefined ? {} : { pack: await deps.keptPack(pack) }
      // Variables are not stored, so only this process can start a run that has some.
      const hasVariables = Object.keys(env).length > 0
      const isHere = how.isHere === true || !supervisor.isWatching() || hasVariables
      const configuration = { ...rest, ...packOption, ...(hasVariables ? { env } : {}) }
      const run = await addRun({ ...input, configuration }, isHere ? deps.owner : null, deps)
      activeRuns.setVariables(run.id, env)
      supervisor.fillSoon()
      return run
    },
    /** A session that has ended before its first turn; the first message sent to it starts it. */
    open: (input: StartInput): Promise<Run> => openRun(input, deps),
    async send(id: string, text: string, how: SendOptions = {}): Promise<Run> {
      const { run } = await runs.find(id)
      if (how.env !== undefined) activeRuns.setVariables(id, how.env)
      // An imported session may be from any folder; an agent works only in this repository.
      await usableDirectory(run.cwd, deps)
      const budget = budgetState(run.cost, budgetOf(run))
      if (budget.kind === "spent") throw BudgetSpentAlready({ id: run.id, says: budget.says })
      const isForNow = how.now === true && run.status === "running"
      const { by } = how
      await (isForNow
        ? queue.command(id, { kind: "steer", text, by })
        : queue.queueTurn(id, text, by))
      await supervisor.handleCommands()
      // Read again: the run may have ended while the turn was queued.
      if (isEnded((await runs.find(id)).run.status)) await resume(id)
      return (await runs.find(id)).run
    },
    async setMode(id: string, mode: AgentMode, by: string): Promise<Run> {
      const { run } = await runs.find(id)
      if (isEnded(run.status)) throw RunNotWorking({ id, status: run.status })
      if (run.status === "queued") await runs.setMode(id, mode)
      else await queue.command(id, { kind: "mode", mode, by })
      await supervisor.handleCommands()
      return (await runs.find(id)).run
    },
    async answer(id: string, answer: AnswerInput): Promise<Approval> {
      const note = answer.note === undefined ? undefined : redact(answer.note)
      const approval = await approvals.answer(id, { ...answer, note })
      await supervisor.handleCommands()
      const { run } = await runs.find(approval.runId)
      if (run.status === "interrupted") {
        await queue.queueTurn(run.id, answerPrompt(approval))
        await resume(run.id)
      }
      return approval
    },
    async edit(id: string, change: RunChange): Promise<Run> {
      const { title, labels, workflow } = change
      const run = await runs.edit(id, {
        ...change,
        title: title === undefined ? undefined : redact(title),
        labels: labels?.map((it) => redact(it)),
        workflow: workflow === undefined ? undefined : redact(workflow),
      })
      deps.notifyMessages(id, run.lastSeq)
      return run
    },
  }
}

async function addRun(input: StartInput, owner: Owner | null, deps: Deps): Promise<Run> {
  const { run, configuration } = await preparedRun(input, deps)
  const { prompt: body, by } = input
  const { createdAt: at } = run
  const turn = { id: deps.ids.next("cmd"), runId: run.id, kind: "turn", body, at, by } as const
  await deps.stores.runs.add(run, { configuration, owner, leaseUntil: at + LEASE_MS }, turn)
  return run
}

async function openRun(input: StartInput, deps: Deps): Promise<Run> {
  const prepared = await preparedRun(input, deps)
  const { createdAt: at } = prepared.run
  const run: Run = { ...prepared.run, status: "completed", startedAt: at, endedAt: at }
  const { configuration } = prepared
  await deps.stores.runs.add(run, { configuration, owner: null, leaseUntil: at })
  return run
}

async function preparedRun(input: StartInput, deps: Deps) {
  const cwd = await usableDirectory(input.configuration.cwd, deps)
  const at = deps.clock.now()
  // The agent gets the prompt unredacted, from the queue.
  const redacted = { ...input, prompt: deps.redact(input.prompt) }
  const run = newRun(redacted, { cwd, id: deps.ids.next("run"), at })
  const { env, script, ...rest } = input.configuration
  // Only the names of variables are stored, so that a later start knows which are missing.
  const names = Object.keys(env ?? {}).map((it) => [it, ""] as const)
  const configuration = {
    // The synthetic agent plays the redacted script: its output is redacted anyway.
    ...(script === undefined ? {} : { script: deps.redact(script) }),
    ...rest,
    ...(env === undefined ? {} : { env: Object.fromEntries(names) }),
  }
  return { run, configuration }
}

export function newRun(
  { type, prompt, configuration, by }: StartInput,
  made: { readonly id: string; readonly cwd: string; readonly at: number },
): Run {
  return {
    id: made.id,
    type,
    title: titleOf(prompt),
    isTitleOwn: false,
    prompt,
    status: "queued",
    cwd: made.cwd,
    model: configuration.model ?? null,
    mode: configuration.mode,
    sessionId: null,
    hostVersion: null,
    createdAt: made.at,
    startedAt: null,
    endedAt: null,
    updatedAt: made.at,
    lastSeq: 0,
    turns: 0,
    error: null,
    cost: {
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      reportedUsd: null,
      computedUsd: null,
    },
    budgetUsd: configuration.budgetUsd ?? null,
    budgetTokens: configuration.budgetTokens ?? null,
    contextUsed: null,
    contextWindow: null,
    labels: [],
    workflow: "in progress",
    isArchived: false,
    origin: "started",
    startedBy: by ?? null,
    openApprovals: 0,
    queuedTurns: 0,
  }
}

function titleOf(prompt: string): string {
  return firstLine(prompt, 80)
}

type DirectoryDeps = Pick<Deps, "directoryProblem" | "belongsToRepository" | "root" | "resolve">

async function usableDirectory(
  requested: string | undefined,
  deps: DirectoryDeps,
): Promise<string> {
  const here = deps.resolve(".")
  // A run starts where the user is, like a capture; a server elsewhere starts it at the root.
  const base = (await deps.belongsToRepository(here)) ? here : deps.root()
  const directory = path.resolve(base, requested ?? ".")
  const problem = await deps.directoryProblem(directory)
  if (problem !== undefined)
    throw DirectoryUnusable({ path: requested ?? directory, reason: problem })
  if (await deps.belongsToRepository(directory)) return directory
  throw DirectoryUnusable({ path: requested ?? directory, reason: "it is outside this repository" })
}
