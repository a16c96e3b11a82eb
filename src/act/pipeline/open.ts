import type { Depth, PipelineConfig, PipelineEventBody, RecipeFolder } from "#ground/contract"
import { ANY } from "./engine/scope-check.ts"
import { RecipeInvalid, RecipeUntrusted, StageNotReached, StageUnknown } from "./errors.ts"
import { ENGINE } from "./events/next.ts"
import type { BodyOf, RunState } from "./events/state.ts"
import { ANY_WEB_SOURCE } from "./stages/web.ts"

export type RunRequest = {
  readonly query: string
  readonly depth: Depth
  readonly budget?: number | undefined
  readonly session?: string | undefined
  readonly model?: string | undefined
  readonly person?: string | undefined
  readonly auto: boolean
}

/** Fixed at the start, so that the run's header names what wrote it. */
export type RunModel = { readonly provider: string; readonly name: string }

export type RunConnections = NonNullable<BodyOf<"run_started">["connections"]>

type FirstBodies = readonly [BodyOf<"run_started">, ...PipelineEventBody[]]

function runnable(recipe: RecipeFolder): PipelineConfig {
  const { slug, config, problems, isTrusted } = recipe
  const [first] = problems
  if (config === null || first !== undefined) {
    const where = first === undefined ? "" : `${first.file}, line ${first.line}: ${first.problem}`
    throw RecipeInvalid({ slug, problem: where === "" ? "it has no config" : where })
  }
  if (!isTrusted) throw RecipeUntrusted({ slug })
  return config
}

/** The first event contains everything that the run will use. */
export function openRun(
  request: RunRequest,
  of: {
    readonly recipe: RecipeFolder
    readonly prompts: readonly { readonly file: string; readonly text: string }[]
    readonly model: RunModel
    readonly connections: RunConnections
    readonly prior: string | null
    readonly defaultBudgetUsd: number
    readonly unapproved: readonly string[]
  },
): FirstBodies {
  const config = runnable(of.recipe)
  return [
    {
      type: "run_started",
      agent: of.recipe.slug,
      digest: of.recipe.digest,
      config: asConfigured(config, request, of.recipe.sources),
      prompts: Object.fromEntries(of.prompts.map(({ file, text }) => [file, text])),
      query: request.query,
      depth: request.depth,
      session: request.session ?? null,
      ...(request.person === undefined ? {} : { person: request.person }),
      budgetUsd: request.budget ?? config.budgetUsd ?? of.defaultBudgetUsd,
      provider: of.model.provider,
      model: of.model.name,
      ...connectionField(of.connections),
      from: null,
      prior: of.prior,
    },
    ...of.unapproved.map(sourceNote),
  ]
}

function connectionField(connections: RunConnections) {
  return Object.keys(connections).length === 0 ? {} : { connections }
}

function sourceNote(slug: string, index: number): PipelineEventBody {
  return {
    type: "substep",
    stage: 0,
    attempt: 1,
    key: `source/${slug}`,
    phase: "ended",
    activityId: `orch-step-${index + 1}`,
    kind: "other",
    tool: "Source",
    title: `Source ${slug} is not approved: qm source approve ${slug}`,
    outcome: "noted",
  }
}

function asConfigured(
  config: PipelineConfig,
  { model, auto }: RunRequest,
  sources: readonly string[],
): PipelineConfig {
  return {
    ...config,
    autoAdvance: config.autoAdvance || auto,
    pauseOnErrors: config.pauseOnErrors && !auto,
    stages: config.stages.map((it) => ({
      ...it,
      ...(model === undefined ? {} : { model: it.model ?? model }),
      scope: { ...it.scope, sources: allowedSources(it.scope.sources, sources) },
    })),
  }
}

/** A stage can use only sources that its recipe lists; any web source is the user's own choice. */
function allowedSources(requested: readonly string[], listed: readonly string[]): string[] {
  const allowed = [...new Set([...listed, ANY_WEB_SOURCE])]
  if (requested.includes(ANY)) return allowed
  return requested.filter((it) => allowed.includes(it))
}

export function reopenRun(
  state: RunState,
  again: {
    readonly stage: string
    readonly edit: string | undefined
    readonly by: string
    readonly person: string | undefined
    readonly model: RunModel
    readonly connections: RunConnections
  },
): FirstBodies {
  const stage = stageNamed(state, again.stage)
  const edit = again.edit?.trim() === "" ? undefined : again.edit
  const { provider, name } = again.model
  const from = { run: state.id, stage, edit: edit ?? null }
  const { person: _, ...earlier } = state.start
  const start = {
    ...earlier,
    ...(again.person === undefined ? {} : { person: again.person }),
    provider,
    model: name,
    ...connectionField(again.connections),
    from,
  }
  const amendment: PipelineEventBody[] =
    edit === undefined ? [] : [{ type: "amended", by: again.by, stage, text: edit }]
  return [start, ...keptOutputs(state, stage), ...amendment]
}

function stageNamed(state: RunState, nameOrNumber: string): number {
  const names = state.start.config.stages.map((it) => it.name)
  const named = names.indexOf(nameOrNumber.trim())
  if (named >= 0) return named
  const index = /^\d{1,3}$/.test(nameOrNumber.trim()) ? Number(nameOrNumber) : names.length
  if (index >= names.length) {
    throw StageUnknown({ id: state.id, stage: nameOrNumber, stages: names })
  }
  return index
}

function keptOutputs(state: RunState, until: number): PipelineEventBody[] {
  return state.stages.slice(0, until).flatMap((stageConfig, stage): PipelineEventBody[] => {
    if (stageConfig.status === "skipped") {
      return [
        {
          type: "skipped",
          by: stageConfig.skippedBy ?? ENGINE,
          stage,
          reason: stageConfig.summary ?? "",
        },
      ]
    }
    if (!stageConfig.hasOutput) {
      const name = (at: number) => state.start.config.stages[at]?.name ?? ""
      throw StageNotReached({ id: state.id, stage: name(until), missing: name(stage) })
    }
    const { output, failure, summary } = stageConfig
    const at = { stage, attempt: Math.max(1, stageConfig.attempt) }
    const failed: PipelineEventBody[] =
      failure === undefined
        ? []
        : [{ type: "validation_failed", ...at, ...failure, problems: [...failure.problems] }]
    const carriedOver = { output, summary: summary ?? "", isCarried: true }
    return [...failed, { type: "stage_output", ...at, ...carriedOver }]
  })
}
