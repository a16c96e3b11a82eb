import path from "node:path"
import { isAppError } from "#ground/base"
import type {
  Approval,
  DoctorReport,
  Handlers,
  NowRow,
  nowOperations,
  PipelineLine,
  PipelineStatus,
  Run,
  RunStatus,
} from "#ground/contract"
import { currentBranch } from "#see/repo"
import type { Services } from "./services.ts"

const RUNS_ON_FIRST_PAGE = 200

type NowDeps = Pick<Services, "agents" | "clock" | "pipelines" | "places" | "store"> & {
  examine(): Promise<DoctorReport>
}

export const nowHandlers = (deps: NowDeps): Handlers<typeof nowOperations> => ({
  async show() {
    const { repository } = deps.places()
    const { isHealthy, checks } = await deps.examine()
    const count = (state: string): number => checks.filter((it) => it.state === state).length
    return {
      repository: {
        root: repository.root,
        name: path.basename(repository.root),
        branch: (await currentBranch(repository)) ?? null,
      },
      health: { isHealthy, failed: count("fail"), warnings: count("warn") },
      store: await describeStore(deps),
      ...joined(await describeRuns(deps), await describePipelines(deps)),
    }
  },
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

async function describeRuns(deps: NowDeps): Promise<Rows> {
  try {
    const agents = await deps.agents()
    const runs = await agents.list({ limit: RUNS_ON_FIRST_PAGE, archived: false })
    const asked = new Map((await agents.approvals()).map((it) => [it.runId, it]))
    const midnight = new Date(deps.clock.now()).setHours(0, 0, 0, 0)
    const isAsking = (run: Run): boolean => asked.has(run.id)
    return {
      waiting: runs.filter(isAsking).map((run) => rowOf(run, asked.get(run.id))),
      running: runs.filter((it) => !isAsking(it) && it.endedAt === null).map((it) => rowOf(it)),
      ended: runs
        .filter((it) => !isAsking(it) && it.endedAt !== null && it.endedAt >= midnight)
        .map((it) => rowOf(it)),
    }
  } catch (error) {
    // Without a store there are no runs; the doctor's report states why.
    if (isAppError(error)) return NOTHING
    throw error
  }
}

async function describePipelines(deps: NowDeps): Promise<Rows> {
  try {
    const { runs } = await (await deps.pipelines()).list({ limit: RUNS_ON_FIRST_PAGE })
    const midnight = new Date(deps.clock.now()).setHours(0, 0, 0, 0)
    const rowsOf = (isIn: (line: PipelineLine) => boolean) => runs.filter(isIn).map(pipelineRow)
    return {
      waiting: rowsOf((it) => it.status === "paused"),
      running: rowsOf((it) => it.endedAt === null && it.status !== "paused"),
      ended: rowsOf((it) => it.endedAt !== null && it.endedAt >= midnight),
    }
  } catch (error) {
    if (isAppError(error)) return NOTHING
    throw error
  }
}

function pipelineRow(line: PipelineLine): NowRow {
  return {
    id: line.id,
    kind: "pipeline",
    state: PIPELINE_STATES[line.status],
    title: line.title,
    agent: line.agent,
    at: line.endedAt ?? (line.status === "paused" ? line.updatedAt : line.createdAt),
    ...(line.status === "paused" ? { ask: `Paused after ${line.stageTitle ?? "a stage"}` } : {}),
    costUsd: line.cost.spentUsd,
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

function rowOf(run: Run, asked?: Approval): NowRow {
  const cost = run.cost.reportedUsd ?? run.cost.computedUsd
  return {
    id: run.id,
    kind: "run",
    state: asked === undefined ? STATES[run.status] : "waiting",
    title: run.title,
    agent: run.type,
    at: asked?.requestedAt ?? run.endedAt ?? run.startedAt ?? run.createdAt,
    ...(asked === undefined ? {} : { ask: asked.title }),
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
