import type { AgentFolder, Depth, PipelineConfig, PipelineEventBody } from "#ground/contract"
import { AgentInvalid, AgentUntrusted, StageNotReached, StageUnknown } from "./errors.ts"
import { ENGINE } from "./events/next.ts"
import type { BodyOf, RunState } from "./events/state.ts"

/** What a person asks for. */
export type Asked = {
  readonly query: string
  readonly depth: Depth
  readonly budget?: number | undefined
  readonly session?: string | undefined
  readonly model?: string | undefined
  readonly auto: boolean
}

type Opening = readonly [BodyOf<"run_started">, ...PipelineEventBody[]]

/** The config of an agent that may run; otherwise why it may not. */
function runnable(agent: AgentFolder): PipelineConfig {
  const { slug, config, problems, isTrusted } = agent
  const [first] = problems
  if (config === null || first !== undefined) {
    const where = first === undefined ? "" : `${first.file}, line ${first.line}: ${first.problem}`
    throw AgentInvalid({ slug, problem: where === "" ? "it has no config" : where })
  }
  if (!isTrusted) throw AgentUntrusted({ slug })
  return config
}

/** How a run begins: everything it will use stands in its first event, as it was. */
export function openRun(
  asked: Asked,
  of: {
    readonly agent: AgentFolder
    readonly prompts: readonly { readonly file: string; readonly text: string }[]
    readonly provider: string
    readonly prior: string | null
    readonly defaultBudgetUsd: number
  },
): Opening {
  const config = runnable(of.agent)
  return [
    {
      type: "run_started",
      agent: of.agent.slug,
      digest: of.agent.digest,
      config: asConfigured(config, asked),
      prompts: Object.fromEntries(of.prompts.map(({ file, text }) => [file, text])),
      query: asked.query,
      depth: asked.depth,
      session: asked.session ?? null,
      budgetUsd: asked.budget ?? config.budgetUsd ?? of.defaultBudgetUsd,
      provider: of.provider,
      from: null,
      prior: of.prior,
    },
  ]
}

function asConfigured(config: PipelineConfig, { model, auto }: Asked): PipelineConfig {
  return {
    ...config,
    autoAdvance: config.autoAdvance || auto,
    pauseOnErrors: config.pauseOnErrors && !auto,
    stages: config.stages.map((it) =>
      model === undefined ? it : { ...it, model: it.model ?? model },
    ),
  }
}

/** A new run that takes over what another one did before a stage; the other one stays as it is. */
export function reopenRun(
  state: RunState,
  again: { readonly stage: string; readonly edit: string | undefined; readonly by: string },
): Opening {
  const stage = stageNamed(state, again.stage)
  const edit = again.edit?.trim() === "" ? undefined : again.edit
  const start = { ...state.start, from: { run: state.id, stage, edit: edit ?? null } }
  const amendment: PipelineEventBody[] =
    edit === undefined ? [] : [{ type: "amended", by: again.by, stage, text: edit }]
  return [start, ...carried(state, stage), ...amendment]
}

/** By its name, or by its number as `index` tells it. */
function stageNamed(state: RunState, wanted: string): number {
  const names = state.start.config.stages.map((it) => it.name)
  const named = names.indexOf(wanted.trim())
  if (named >= 0) return named
  const index = /^\d{1,3}$/.test(wanted.trim()) ? Number(wanted) : names.length
  if (index >= names.length) {
    throw StageUnknown({ id: state.id, stage: wanted, stages: names })
  }
  return index
}

function carried(state: RunState, until: number): PipelineEventBody[] {
  return state.stages.slice(0, until).map((it, stage): PipelineEventBody => {
    if (it.status === "skipped") {
      return { type: "skipped", by: it.skippedBy ?? ENGINE, stage, reason: it.summary ?? "" }
    }
    if (!it.hasOutput) {
      const name = (at: number) => state.start.config.stages[at]?.name ?? ""
      throw StageNotReached({ id: state.id, stage: name(until), missing: name(stage) })
    }
    const { output, summary } = it
    return {
      type: "stage_output",
      stage,
      attempt: Math.max(1, it.attempt),
      output,
      summary: summary ?? "",
      isCarried: true,
    }
  })
}
