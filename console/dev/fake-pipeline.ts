import type { PipelineCompare, PipelineLine, PipelineRun, PipelineShow } from "../src/contract.ts"
import { answerAgents } from "./fake-agents.ts"
import { CONFIRMING, DOCUMENT, PIPELINES } from "./fake-pipeline-tables.ts"
import type { WorldState } from "./fake-world.ts"

/** Runs that can be answered; a press changes what the next read says. */
export type FakePipelines = { readonly state: WorldState; readonly runs: PipelineShow[] }

export function worldPipelines(state: WorldState): FakePipelines {
  return { state, runs: state === "empty" ? [] : PIPELINES.map((it) => ({ ...it })) }
}

/** The pipelines and agents of the fake world. Undefined for every address that is not theirs. */
export function answerPipelines(world: FakePipelines, url: URL, body: Record<string, unknown>) {
  const of = answerAgents(world.state, url, listOf(world))
  if (of !== undefined) return of
  if (!url.pathname.startsWith("/api/pipeline/")) return undefined
  const query = url.searchParams
  if (url.pathname === "/api/pipeline/list") {
    const agent = query.get("agent")
    return ok({ runs: listOf(world).filter((it) => agent === null || it.agent === agent) })
  }
  if (url.pathname === "/api/pipeline/run") return ok(first(world).run)
  const id = query.get("id") ?? textOf(body.id)
  const index = world.runs.findIndex((it) => it.run.id === id)
  const known = world.runs[index]
  if (known === undefined) return NO_SUCH
  const change = (more: Partial<PipelineRun>) => {
    const next = { ...known, run: { ...known.run, ...more } }
    world.runs[index] = next
    return next.run
  }
  return answerOne({ path: url.pathname, query, body, known, change, world })
}

type One = {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
  readonly known: PipelineShow
  readonly world: FakePipelines
  change(more: Partial<PipelineRun>): PipelineRun
}

function answerOne({ path, query, body, known, change, world }: One) {
  switch (path) {
    case "/api/pipeline/show": {
      const after = Number(query.get("after") ?? 0)
      return ok({ run: known.run, events: known.events.filter((it) => it.seq > after) })
    }
    case "/api/pipeline/document":
      return ok(DOCUMENT)
    case "/api/pipeline/compare":
      return ok(compared(known, world, query.get("other") ?? ""))
    case "/api/pipeline/resume":
    case "/api/pipeline/skip":
      return ok(change({ status: "running", pause: null }))
    case "/api/pipeline/amend":
      return textOf(body.text).includes("refuse")
        ? REFUSED
        : ok(change({ status: "running", pause: null }))
    case "/api/pipeline/stop":
      return ok(
        change({
          status: "stopped",
          pause: null,
          endedAt: known.run.updatedAt,
          reason: "You stopped it.",
        }),
      )
    case "/api/pipeline/rerun":
      return ok(first(world).run)
    case "/api/pipeline/say":
      return ok(said(known, textOf(body.text), change))
    default:
      return NO_SUCH
  }
}

function said({ run }: PipelineShow, text: string, change: One["change"]) {
  const answered = { answered: null }
  if (run.pause === null) return { case: "after", run, reply: "", ...answered }
  if (run.pause.isConfirmingExit && text === "1") {
    const left = { status: "breakout", pause: null, reason: "You left it." } as const
    return { case: "B", run: change(left), reply: "The research so far is kept.", ...answered }
  }
  if (text === "3") {
    return {
      case: "D",
      run: change({ pause: CONFIRMING }),
      reply: CONFIRMING.question,
      ...answered,
    }
  }
  return {
    case: "E",
    run: change({ status: "running", pause: null }),
    reply: "It goes on.",
    ...answered,
  }
}

function first(world: FakePipelines): PipelineShow {
  const [one] = world.runs.length === 0 ? PIPELINES : world.runs
  if (one === undefined) throw new Error("invariant broken: there are pipelines")
  return one
}

function listOf({ runs }: FakePipelines): readonly PipelineLine[] {
  return runs.map(({ run }) => lineOf(run))
}

function lineOf(whole: PipelineRun): PipelineLine {
  const { stages, repairs: _repairs, pause: _pause, usage: _usage, ...run } = whole
  const done = stages.filter((it) => it.status === "done" || it.status === "skipped").length
  const stageTitle = run.stage === null ? null : (stages[run.stage]?.title ?? null)
  return { ...run, stageTitle, stagesDone: done, stagesTotal: stages.length }
}

function compared({ run }: PipelineShow, world: FakePipelines, other: string): PipelineCompare {
  const right = world.runs.find((it) => it.run.id === other)?.run ?? run
  return {
    left: lineOf(run),
    right: lineOf(right),
    stages: run.stages.map(({ name, title }, i) => ({
      name,
      title,
      left: { summary: `${title}, as it was`, usd: 0.04, rounds: 1, output: OUTPUT },
      right:
        i > 3
          ? null
          : {
              summary: `${title}, another way`,
              usd: i === 0 ? 0.04 : 0.06,
              rounds: i === 3 ? 2 : 1,
              output: i < 2 ? OUTPUT : OUTPUT.replace("24", "48"),
            },
      isSame: i < 2,
    })),
  }
}

const OUTPUT = '{\n  "answer": "within 24 hours",\n  "sections": 5\n}'

const textOf = (it: unknown): string => (typeof it === "string" ? it : "")

const ok = (answer: object) => ({ status: 200, answer })

const NO_SUCH = {
  status: 404,
  answer: {
    code: "PIPELINE_UNKNOWN",
    message: "There is no pipeline run of this id in this repository's store.",
    hint: "List the runs with `qm pipeline list`.",
    data: {},
  },
}

const REFUSED = {
  status: 409,
  answer: {
    code: "PIPELINE_NOT_PAUSED",
    message: "The run does not wait for anybody; it is running.",
    hint: "Look at it with `qm pipeline show p-12`.",
    data: {},
  },
}
