import path from "node:path"
import { isAppError } from "#ground/base"
import type {
  Approval,
  DoctorReport,
  Handlers,
  Now,
  NowRow,
  nowOperations,
  PipelineLine,
  PipelineStatus,
  RepositoryState,
  Run,
  RunStatus,
} from "#ground/contract"
import { type ChangedFile, currentBranch, openGit, readStatus } from "#see/repo"
import { checkForEvents } from "./room-events.ts"
import type { Services } from "./services.ts"

const RUNS_ON_FIRST_PAGE = 200

const DAY_MS = 86_400_000
const SPEND_DAYS = 14
const MOST_CHANGED_FILES = 100

type NowDeps = Pick<
  Services,
  "agents" | "clock" | "environment" | "pipelines" | "places" | "random" | "store"
> & {
  examine(): Promise<DoctorReport>
}

export const nowHandlers = (deps: NowDeps): Handlers<typeof nowOperations> => ({
  async show() {
    const { repository } = deps.places()
    const [{ isHealthy, checks }, runs, pipelines, branch, store] = await Promise.all([
      deps.examine(),
      listRuns(deps),
      listPipelines(deps),
      currentBranch(repository),
      describeStore(deps),
    ])
    const count = (state: string): number => checks.filter((it) => it.state === state).length
    const work = { runs, pipelines }
    const asking = new Set(
      pipelines.flatMap((it) => (it.status === "paused" ? (it.session ?? []) : [])),
    )
    // Its pipeline waits for an answer and is listed instead.
    const shown = runs.filter((it) => it.endedAt === null || !asking.has(it.id))
    return {
      repository: {
        root: repository.root,
        name: path.basename(repository.root),
        branch: branch ?? null,
      },
      health: { isHealthy, failed: count("fail"), warnings: count("warn") },
      store,
      spend: sumSpend(work, deps.clock.now()),
      isNew: await isUnused(work, deps),
      ...joined(await describeRuns(shown, deps), describePipelines(work.pipelines, deps)),
    }
  },
  repository: (_, { signal }) => describeRepository(deps, signal),
})

async function describeStore(deps: NowDeps) {
  try {
    const { dialect, events, sizeBytes } = await (await deps.store()).status()
    return { dialect, events, sizeBytes }
  } catch (error) {
    // The doctor's report states the reason.
    if (isAppError(error)) return null
    throw error
  }
}

type Rows = Readonly<Record<"running" | "waiting" | "ended", readonly NowRow[]>>

const NOTHING: Rows = { running: [], waiting: [], ended: [] }

function joined(one: Rows, other: Rows) {
  const both = (at: keyof Rows) => [...one[at], ...other[at]].toSorted((a, b) => b.at - a.at)
  return { running: both("running"), waiting: both("waiting"), ended: both("ended") }
}

/** Nothing ran here, and no hook reported a session. */
async function isUnused({ runs, pipelines }: Work, deps: NowDeps): Promise<boolean> {
  if (runs.length + pipelines.length > 0) return false
  const { createClassifier, createLedger } = await import("#know/ledger")
  const { stateDirectory } = deps.places().repository
  const ledger = createLedger({ stateDirectory, clock: deps.clock, random: deps.random })
  return (await ledger.listLive({ sinceMs: 0, classifier: createClassifier() })).length === 0
}

/** Without a store there are no runs; the doctor's report states why. */
async function orNone<Row>(list: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await list()
  } catch (error) {
    if (isAppError(error)) return []
    throw error
  }
}

const listRuns = (deps: NowDeps) =>
  orNone(async () => {
    if (!(await checkForEvents("agents", deps))) return []
    return (await deps.agents()).list({ limit: RUNS_ON_FIRST_PAGE, archived: false })
  })

const listPipelines = (deps: NowDeps) =>
  orNone(async () => {
    if (!(await checkForEvents("pipeline", deps))) return []
    return (await (await deps.pipelines()).list({ limit: RUNS_ON_FIRST_PAGE })).runs
  })

async function describeRuns(runs: readonly Run[], deps: NowDeps): Promise<Rows> {
  if (runs.length === 0) return NOTHING
  const open = await orNone(async () => (await deps.agents()).approvals())
  const approvals = new Map(open.map((it) => [it.runId, it]))
  const midnight = startOfDay(deps.clock.now())
  const isAsking = (run: Run): boolean => approvals.has(run.id)
  return {
    waiting: runs.filter(isAsking).map((run) => rowOf(run, approvals.get(run.id))),
    running: runs.filter((it) => !isAsking(it) && it.endedAt === null).map((it) => rowOf(it)),
    ended: runs
      .filter((it) => !isAsking(it) && it.endedAt !== null && it.endedAt >= midnight)
      .map((it) => rowOf(it)),
  }
}

function describePipelines(lines: readonly PipelineLine[], { clock }: NowDeps): Rows {
  const midnight = startOfDay(clock.now())
  const rowsOf = (isIn: (line: PipelineLine) => boolean) => lines.filter(isIn).map(pipelineRow)
  return {
    waiting: rowsOf((it) => it.status === "paused"),
    running: rowsOf((it) => it.endedAt === null && it.status !== "paused"),
    ended: rowsOf((it) => it.endedAt !== null && it.endedAt >= midnight),
  }
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

type Work = {
  readonly runs: readonly Pick<Run, "cost" | "endedAt" | "turns" | "type" | "updatedAt">[]
  readonly pipelines: readonly Pick<PipelineLine, "cost" | "endedAt" | "updatedAt">[]
}

/** The cost of a run counts for the day on which it ended or, while it runs, for today. */
export function sumSpend({ runs, pipelines }: Work, now: number): Now["spend"] {
  const paid = [
    ...runs
      // A scripted agent reports costs and spends nothing; a run before its first turn neither.
      .filter((it) => it.type !== SYNTHETIC && it.turns > 0)
      .map(({ cost, endedAt }) => ({
        at: endedAt ?? now,
        usd: cost.reportedUsd ?? cost.computedUsd ?? 0,
        isUnknown: cost.reportedUsd === null && cost.computedUsd === null,
      })),
    ...pipelines.map(({ cost, endedAt, updatedAt }) => ({
      at: endedAt ?? updatedAt,
      usd: cost.spentUsd,
      isUnknown: cost.unknownCalls > 0,
    })),
  ]
  const costs = paid.filter((it) => it.usd > 0)
  const today = startOfDay(now)
  const ofDay = (start: number) => costs.filter((it) => startOfDay(it.at) === start)
  const sum = (rows: typeof costs) => rows.reduce((total, it) => total + it.usd, 0)
  const runsToday = ofDay(today)
  const days = Array.from({ length: SPEND_DAYS }, (_, i) => {
    // Noon, so that a change of the clock by an hour does not skip or repeat a day.
    const start = startOfDay(today + DAY_MS / 2 - (SPEND_DAYS - 1 - i) * DAY_MS)
    return { day: localDay(start), usd: sum(ofDay(start)) }
  })
  return {
    todayUsd: runsToday.length === 0 ? null : sum(runsToday),
    runs: runsToday.length,
    unknown: paid.filter((it) => it.isUnknown && startOfDay(it.at) === today).length,
    days,
  }
}

function localDay(at: number): string {
  const date = new Date(at)
  const part = (value: number) => String(value).padStart(2, "0")
  return `${date.getFullYear()}-${part(date.getMonth() + 1)}-${part(date.getDate())}`
}

async function describeRepository(deps: NowDeps, signal: AbortSignal): Promise<RepositoryState> {
  const { repository } = deps.places()
  const nothing = { branch: null, upstream: null, apart: null, fetchedAt: null, changes: null }
  const opened = await openGit({ repository, environment: deps.environment(), signal })
  if (opened.kind === "without") {
    const branch = (await currentBranch(repository)) ?? null
    return { ...nothing, branch, problem: opened.reason }
  }
  const { branch, upstream, apart, fetchedAtMs, changes } = await readStatus({
    repository,
    git: opened.git,
    signal,
  })
  return {
    branch: branch ?? null,
    upstream: upstream ?? null,
    apart: apart ?? null,
    fetchedAt: fetchedAtMs === undefined ? null : Math.round(fetchedAtMs),
    changes: changes === undefined ? null : countChanges(changes),
    problem: null,
  }
}

function countChanges(changes: readonly ChangedFile[]): RepositoryState["changes"] {
  const count = (kind: ChangedFile["kind"]) => changes.filter((it) => it.kind === kind).length
  return {
    modified: count("modified"),
    added: count("added"),
    deleted: count("deleted"),
    conflict: count("conflict"),
    untracked: count("untracked"),
    files: changes.slice(0, MOST_CHANGED_FILES),
  }
}

/** Plays a script: the costs in it were not paid. */
const SYNTHETIC = "synthetic"

function pipelineRow(line: PipelineLine): NowRow {
  const isUnknown = line.cost.spentUsd === 0 && line.cost.unknownCalls > 0
  return {
    id: line.id,
    kind: "pipeline",
    state: PIPELINE_STATES[line.status],
    title: line.title,
    agent: line.agent,
    at: line.endedAt ?? (line.status === "paused" ? line.updatedAt : line.createdAt),
    ...(line.status === "paused" ? { ask: `Paused after ${line.stageTitle ?? "a stage"}` } : {}),
    ...(line.agent === SYNTHETIC || isUnknown ? {} : { costUsd: line.cost.spentUsd }),
  }
}

const PIPELINE_STATES: Readonly<Record<PipelineStatus, NowRow["state"]>> = {
  running: "running",
  paused: "waiting",
  interrupted: "interrupted",
  completed: "done",
  breakout: "stopped",
  stopped: "stopped",
  failed: "failed",
  "over-budget": "failed",
}

function rowOf(run: Run, approval?: Approval): NowRow {
  const cost = run.type === SYNTHETIC ? null : (run.cost.reportedUsd ?? run.cost.computedUsd)
  return {
    id: run.id,
    kind: "run",
    state: approval === undefined ? STATES[run.status] : "waiting",
    title: run.title,
    agent: run.type,
    at: approval?.requestedAt ?? run.endedAt ?? run.startedAt ?? run.createdAt,
    ...(approval === undefined ? {} : { ask: approval.title }),
    ...(cost === null ? {} : { costUsd: cost }),
  }
}

const STATES: Readonly<Record<RunStatus, NowRow["state"]>> = {
  queued: "queued",
  starting: "running",
  running: "running",
  waiting: "waiting",
  paused: "paused",
  completed: "done",
  failed: "failed",
  stopped: "stopped",
  interrupted: "interrupted",
}
