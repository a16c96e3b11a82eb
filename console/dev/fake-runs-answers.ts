import type { Approval, NowRow, Run } from "../src/contract.ts"
import { aRun, type FakeRuns } from "./fake-runs.ts"
import { PROVIDERS } from "./fake-runs-tables.ts"
import { WORLD_NOW } from "./fake-world.ts"

type Body = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly answer: unknown }
type Answerer = (world: FakeRuns, query: URLSearchParams, body: Body) => Answer

/** The operations on runs, as far as pages ask for them; undefined for every other address. */
export function answerRuns(
  world: FakeRuns,
  url: URL,
  body: Readonly<Record<string, unknown>>,
): Answer | undefined {
  return ANSWERS[url.pathname]?.(world, url.searchParams, body)
}

const ok = (answer: unknown): Answer => ({ status: 200, answer })

const ANSWERS: Readonly<Record<string, Answerer>> = {
  "/api/agents/list": (world, query) => ok({ runs: listRuns(world, query) }),
  "/api/agents/show": ({ runs }, query) => oneRun(runs, query.get("id")),
  "/api/agents/approvals": ({ approvals }, query) => {
    const run = query.get("run")
    const asked = approvals.filter((it) => (run === null ? it.status === "open" : it.runId === run))
    return ok({ approvals: asked })
  },
  "/api/agents/providers": () => ok({ providers: PROVIDERS }),
  "/api/agents/start": start,
  "/api/agents/answer": answer,
  "/api/agents/stop": ({ runs }, _query, { id }) =>
    change(runs, id, { status: "stopped", endedAt: WORLD_NOW }),
  "/api/agents/edit": ({ runs }, _query, body) => change(runs, body["id"], edited(body)),
  "/api/agents/delete": (world, _query, { id }) => {
    world.runs = world.runs.filter((it) => it.id !== id)
    return ok({ id })
  },
  "/api/permissions/list": ({ permissions }) => ok(permissions),
  "/api/permissions/remove": ({ permissions }, _query, { id }) => {
    permissions.rules = permissions.rules.filter((it) => it.id !== id)
    return ok(permissions)
  },
  "/api/permissions/trust": ({ permissions }) => {
    permissions.isTrusted = true
    permissions.rules = permissions.rules.map((it) => ({ ...it, isInForce: true }))
    return ok(permissions)
  },
}

function listRuns({ runs }: FakeRuns, query: URLSearchParams): readonly Run[] {
  const words = (query.get("text") ?? "").toLowerCase().split(/\s+/).filter(Boolean)
  const isArchived = query.get("archived") === "true"
  const label = query.get("label")
  const workflow = query.get("workflow")
  const shown = runs.filter(
    (it) =>
      it.isArchived === isArchived &&
      (label === null || it.labels.includes(label)) &&
      (workflow === null || it.workflow === workflow) &&
      words.every((word) => `${it.title} ${it.prompt}`.toLowerCase().includes(word)),
  )
  return shown.slice(0, Number(query.get("limit") ?? 50))
}

function start(world: FakeRuns, _query: URLSearchParams, body: Body): Answer {
  const { prompt, cwd, type } = body
  if (typeof cwd === "string" && !cwd.startsWith("/home/ada/code/tideline")) {
    return { status: 400, answer: badDirectory(cwd) }
  }
  if (type === "copilot") return { status: 503, answer: missing(String(type)) }
  const run = aRun(99, String(prompt), { status: "starting", createdAt: WORLD_NOW })
  world.runs = [run, ...world.runs]
  return ok(run)
}

function answer(world: FakeRuns, _query: URLSearchParams, body: Body): Answer {
  const approval = world.approvals.find((it) => it.id === body["id"])
  if (approval === undefined) return { status: 404, answer: NO_RUN }
  if (approval.status !== "open") return { status: 409, answer: answeredBefore(approval) }
  approval.status = body["decision"] === "allow" ? "allowed" : "denied"
  approval.answeredBy = "console"
  approval.answeredAt = WORLD_NOW
  const isLast = !world.approvals.some((it) => it.status === "open" && it.runId === approval.runId)
  if (isLast) change(world.runs, approval.runId, { status: "running", openApprovals: 0 })
  return ok(approval)
}

function oneRun(runs: readonly Run[], id: unknown): Answer {
  const run = runs.find((it) => it.id === id)
  return run === undefined ? { status: 404, answer: NO_RUN } : ok(run)
}

function change(runs: Run[], id: unknown, changes: Partial<Run>): Answer {
  const index = runs.findIndex((it) => it.id === id)
  const run = runs[index]
  if (run === undefined) return { status: 404, answer: NO_RUN }
  runs[index] = { ...run, ...changes }
  return ok(runs[index])
}

function edited({ title, label, unlabel, workflow, archived }: Body): Partial<Run> {
  return {
    ...(typeof title === "string" ? { title, isTitleOwn: true } : {}),
    ...(Array.isArray(label) ? { labels: label.map(String) } : {}),
    ...(unlabel === true ? { labels: [] } : {}),
    ...(typeof workflow === "string" ? { workflow } : {}),
    ...(typeof archived === "boolean" ? { isArchived: archived } : {}),
  }
}

/** The three lists of the first page, as the engine makes them from runs. */
export function nowRows({ runs, approvals }: FakeRuns) {
  const of = (...statuses: readonly Run["status"][]) =>
    runs.filter((it) => statuses.includes(it.status)).map((it) => nowRow(it, approvals))
  const isToday = (it: NowRow) => WORLD_NOW - it.at < 8 * 3_600_000
  return {
    waiting: of("waiting", "paused"),
    running: of("running", "starting", "queued"),
    ended: of("completed", "failed", "stopped", "interrupted").filter(isToday),
  }
}

const STATES: Readonly<Record<Run["status"], NowRow["state"]>> = {
  queued: "queued",
  starting: "running",
  running: "running",
  waiting: "waiting",
  paused: "paused",
  completed: "done",
  failed: "failed",
  stopped: "stopped",
  interrupted: "stopped",
}

function nowRow(run: Run, approvals: readonly Approval[]): NowRow {
  const asked = approvals.find((it) => it.runId === run.id && it.status === "open")
  const tokens = run.contextUsed
  return {
    id: run.id,
    kind: "run",
    state: STATES[run.status],
    title: run.title,
    ...(asked === undefined ? {} : { ask: `${run.type} asks: ${asked.title}` }),
    agent: run.type,
    ...(tokens === null
      ? {}
      : {
          tokens: {
            instructions: Math.round(tokens * 0.1),
            files: Math.round(tokens * 0.4),
            symbols: Math.round(tokens * 0.1),
            tools: Math.round(tokens * 0.1),
            history: Math.round(tokens * 0.3),
          },
        }),
    ...(run.cost.reportedUsd === null ? {} : { costUsd: run.cost.reportedUsd }),
    at: asked?.requestedAt ?? run.endedAt ?? run.startedAt ?? run.createdAt,
  }
}

const NO_RUN = {
  code: "AGENTS_RUN_UNKNOWN",
  message: "There is no run of this id.",
  hint: "Run qm runs to see the ids.",
  data: {},
}

const answeredBefore = ({ id, status, answeredBy }: Approval) => ({
  code: "AGENTS_APPROVAL_ANSWERED",
  message: `Approval ${id} was already answered: ${status} by ${answeredBy}.`,
  hint: "Nothing was changed; the first answer counts.",
  data: { id, status, by: answeredBy },
})

const badDirectory = (path: string) => ({
  code: "AGENTS_DIRECTORY_UNUSABLE",
  message: `An agent cannot work in ${path}: it is outside every known repository.`,
  hint: "Name a directory inside this repository, or leave it out.",
  data: { path, reason: "it is outside every known repository" },
})

const missing = (type: string) => ({
  code: "AGENTS_PROGRAM_MISSING",
  message: `${type} was not found on this machine.`,
  hint: "Start the run again once the program is on the PATH.",
  data: { type },
})
