import type { z } from "zod"
import type {
  OPERATIONS,
  PipelineCompare,
  PipelineConfig,
  PipelineDocument,
  PipelineLine,
  PipelineList,
  PipelineReply,
  PipelineRun,
  PipelineShow,
  RecipeShow,
} from "#ground/contract"
import type { Model } from "#ground/model"
import type { Db } from "#ground/store"
import { compareRuns } from "./compare.ts"
import type { EngineDeps, FoundRun } from "./engine/access.ts"
import type { DriveDeps } from "./engine/drive.ts"
import { createEngine, type Engine } from "./engine/engine.ts"
import { createLiveText } from "./engine/live-text.ts"
import { type AppendToSession, createSessionTranscript } from "./engine/session-transcript.ts"
import { createEventStore } from "./engine/store/event-store.ts"
import type { RunRow } from "./engine/store/queries.ts"
import { DocumentMissing, NothingToSkip, NotPaused, RunEnded, TextEmpty } from "./errors.ts"
import { amendedStage, skippedStage } from "./events/next.ts"
import { createTranscript } from "./events/transcript.ts"
import { bareView, documentOf, lineView, runView, statusOf } from "./events/views.ts"
import type { Folders } from "./folder/folders.ts"
import { type Mention, readMention } from "./folder/mention.ts"
import { openRun, type RunConnections, reopenRun } from "./open.ts"
import { createResults, type Results, resultsOf } from "./results.ts"
import { handleMessage, type SayDeps } from "./run-message.ts"

const MAX_RUNS_OF_RECIPE = 20

export type PipelinesDeps = Pick<EngineDeps, "clock" | "log" | "owner" | "isAlive" | "onAdvance"> &
  Pick<DriveDeps, "stages" | "redact" | "redactJson" | "count" | "windowTokens"> &
  Pick<SayDeps, "hasClassifier" | "sendToSession"> & {
    readonly db: Db<"pipeline">
    /** Of the settings, or of a named connection. */
    model(connection?: string): Promise<Model>
    readonly folders: Folders
    readonly directory: string
    /** The budget when neither the user nor the recipe sets one. */
    defaultBudgetUsd(): number
    unapproved?(sources: readonly string[]): Promise<readonly string[]>
    /** Throws if no agent is installed for stages that name none. */
    requireAgent?(): Promise<unknown>
    readonly appendToSession?: AppendToSession
  }

type Input<Name extends keyof typeof OPERATIONS> = z.output<(typeof OPERATIONS)[Name]["input"]>

export type Pipelines = ReturnType<typeof createPipelines>

export function createPipelines(deps: PipelinesDeps) {
  const liveText = createLiveText(deps)
  const eventStore = createEventStore(deps)
  const results = createResults({ ...deps, eventStore })
  const sessionTranscript = createSessionTranscript({ ...deps, eventStore })
  const engine = createEngine({
    ...deps,
    eventStore,
    liveText,
    prior: results.prior,
    wrote(state, events) {
      liveText.changed(state.id, state.lastSeq)
      sessionTranscript.wrote(state, events)
    },
    ended: results.write,
  })
  const reading = createReading({ ...deps, engine, results, list: eventStore.list })
  const { show } = reading
  const settled = async (id: string): Promise<void> => {
    await engine.settled(id)
    await sessionTranscript.settled(id)
  }
  return {
    ...reading,
    ...createAnswering({ ...deps, engine }),
    ...createStarting({ ...deps, engine, results }),
    say: (
      id: string,
      message: { text: string; by: string; signal: AbortSignal; pause?: string | undefined },
    ): Promise<PipelineReply> =>
      handleMessage(id, message, { ...deps, engine, summary: results.summary }),
    recipes: createRecipesView(deps.folders, reading.list),
    promptBlockFor: results.blockFor,
    recover: engine.recover,
    watch(): void {
      engine.watch()
      void sessionTranscript.sync().catch((error: unknown) =>
        deps.log.warn("pipeline runs could not be copied into their sessions", {
          error: String(error),
        }),
      )
    },
    onText: liveText.onText,
    onChange: liveText.onChange,
    /** Resolves when the run pauses or ends and its session's transcript has it. */
    settled,
    async close(): Promise<void> {
      await engine.close()
      await sessionTranscript.settled()
    },
    /** Resolves when the run pauses or ends, if this process works on it. */
    async finished(id: string): Promise<PipelineRun> {
      await settled(id)
      return (await show(id)).run
    },
  }
}

type ReadingDeps = Pick<PipelinesDeps, "folders"> & {
  readonly engine: Engine
  readonly results: Results
  list(filter: { agent?: string; session?: string; limit: number }): Promise<readonly RunRow[]>
}

function createReading({ engine, results, folders, list }: ReadingDeps) {
  const viewOf = ({ state, isAlone }: FoundRun): PipelineRun => runView(state, { isAlone })
  return {
    async list(input: Input<"pipeline.list">): Promise<PipelineList> {
      const rows = await list(definedOnly(input))
      // Runs of a deleted recipe are still listed, so only an empty list is checked.
      if (rows.length === 0 && input.agent !== undefined) await folders.find(input.agent)
      return { runs: rows.map((row) => lineOf(row, engine)) }
    },
    async show(id: string, after = 0): Promise<PipelineShow> {
      const run = await engine.find(id)
      return { run: viewOf(run), events: run.events.filter((it) => it.seq > after) }
    },
    async transcript(id: string) {
      const { events } = await engine.find(id)
      const { take } = createTranscript(id)
      return events.flatMap(take)
    },
    async document(id: string): Promise<PipelineDocument> {
      const document = documentOf((await engine.find(id)).state)
      if (document === undefined) throw DocumentMissing({ id })
      return document
    },
    async summary(id: string) {
      const { state } = await engine.find(id)
      // The summary file is written at the end of the run.
      return state.end === undefined ? results.now(state) : results.summary(id)
    },
    async compare(left: string, right: string): Promise<PipelineCompare> {
      return compareRuns(await comparedOf(left), await comparedOf(right))
    },
  }

  async function comparedOf(id: string) {
    const run = await engine.find(id)
    const line = lineView(run.state)
    const { outputs } = resultsOf(run.state)
    return { line, stages: viewOf(run).stages, outputs }
  }
}

function lineOf(row: RunRow, engine: Engine): PipelineLine {
  return engine.isAlone(row) ? { ...row.line, status: "interrupted" } : row.line
}

function definedOnly(input: Input<"pipeline.list">) {
  const { agent, session, limit } = input
  return {
    limit,
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
  }
}

type StartingDeps = PipelinesDeps & { readonly engine: Engine; readonly results: Results }

function createStarting(deps: StartingDeps) {
  const { engine, folders, results } = deps
  return {
    /** Resolves when the run has started; `settled` resolves when it pauses or ends. */
    async run(input: Input<"pipeline.run">, person?: string): Promise<PipelineRun> {
      const request = { ...input, person, query: deps.redact(input.query.trim()) }
      if (request.query === "") throw TextEmpty({ what: `A run of ${request.agent}` })
      const { recipe, prompts } = await folders.find(request.agent)
      if (recipe.config?.stages.some(needsAnyAgent) === true) await deps.requireAgent?.()
      const session = request.session ?? null
      const opening = openRun(request, {
        recipe,
        // Prompts are stored with the run and sent to a model, like the query.
        prompts: prompts.map((it) => ({ ...it, text: deps.redact(it.text) })),
        model: await deps.model(),
        connections: await connectionsOf(recipe.config, deps),
        prior:
          request.fresh === true
            ? null
            : await results.findPrior({ agent: request.agent, session, query: request.query }),
        defaultBudgetUsd: deps.defaultBudgetUsd(),
        unapproved: (await deps.unapproved?.(recipe.sources)) ?? [],
      })
      return runView(await engine.begin(opening), { isAlone: false })
    },
    async rerun(
      id: string,
      again: {
        readonly stage: string
        readonly edit?: string | undefined
        readonly by: string
        readonly person?: string | undefined
      },
    ): Promise<PipelineRun> {
      const { state } = await engine.find(id)
      const edit = again.edit === undefined ? undefined : deps.redact(again.edit)
      const opening = reopenRun(state, {
        ...again,
        person: again.person,
        edit,
        model: await deps.model(),
        connections: await connectionsOf(state.start.config, deps),
      })
      return runView(await engine.begin(opening), { isAlone: false })
    },
  }
}

/** Checked before the earlier stages are paid. */
function needsAnyAgent({ kind, agent }: PipelineConfig["stages"][number]): boolean {
  return kind === "agent" && agent === undefined
}

/** An unknown connection is an error before the first call is paid. */
async function connectionsOf(
  config: PipelineConfig | null,
  { model }: Pick<PipelinesDeps, "model">,
): Promise<RunConnections> {
  const names = new Set(config?.stages.flatMap((it) => it.connection ?? []))
  const entries = [...names].map(async (connection) => {
    const { provider, name } = await model(connection)
    return [connection, { provider, model: name }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

type AnsweringDeps = Pick<PipelinesDeps, "redact"> & { readonly engine: Engine }

/** With `pause`, only that pause is answered. */
type AnswerSource = string | { readonly by: string; readonly pause?: string | undefined }

const byOf = (by: AnswerSource): string => (typeof by === "string" ? by : by.by)
const pauseOf = (by: AnswerSource): string | undefined =>
  typeof by === "string" ? undefined : by.pause

const mayAnswer =
  (by: AnswerSource) =>
  ({ state, isAlone }: FoundRun): void => {
    const { id, end, pause } = state
    if (end !== undefined) throw RunEnded({ id, status: end.status })
    const pauseId = pauseOf(by)
    if (pause !== undefined && (pauseId ?? pause.pauseId) === pause.pauseId) return
    throw NotPaused({ id, status: statusOf(state, isAlone), pause: pauseId })
  }

function createAnswering({ engine, redact }: AnsweringDeps) {
  const shown = async (id: string): Promise<PipelineRun> => {
    const { state, isAlone } = await engine.find(id)
    return runView(state, { isAlone })
  }
  return {
    async resume(id: string, by: AnswerSource): Promise<PipelineRun> {
      const isAny = pauseOf(by) === undefined
      await engine.answer(id, {
        may: (run) => (run.isAlone && isAny ? undefined : mayAnswer(by)(run)),
        decide: (state) => (state.pause === undefined ? [] : [{ type: "resumed", by: byOf(by) }]),
      })
      return shown(id)
    },
    async amend(id: string, text: string, by: AnswerSource): Promise<PipelineRun> {
      if (text.trim() === "") throw TextEmpty({ what: `An amendment of ${id}` })
      await engine.answer(id, {
        may: mayAnswer(by),
        decide: (state) => [
          { type: "amended", by: byOf(by), stage: amendedStage(state), text: redact(text.trim()) },
        ],
      })
      return shown(id)
    },
    async skip(id: string, by: AnswerSource): Promise<PipelineRun> {
      await engine.answer(id, {
        may: mayAnswer(by),
        decide: (state) => {
          const stage = skippedStage(state)
          if (stage === undefined) throw NothingToSkip({ id })
          return [{ type: "skipped", by: byOf(by), stage, reason: `Skipped by ${byOf(by)}` }]
        },
      })
      return shown(id)
    },
    async stop(id: string): Promise<PipelineRun> {
      const left = await engine.stop(id)
      return left === undefined ? shown(id) : bareView(left)
    },
  }
}

function createRecipesView(
  folders: Folders,
  list: (input: Input<"pipeline.list">) => Promise<PipelineList>,
) {
  return {
    list: async () => ({ recipes: [...(await folders.list())] }),
    async show(slug: string): Promise<RecipeShow> {
      const { recipe, prompts } = await folders.find(slug)
      const { runs } = await list({ agent: slug, limit: MAX_RUNS_OF_RECIPE })
      return { recipe, prompts: prompts.map((it) => ({ ...it })), runs }
    },
    async mentioned(message: string): Promise<Mention | undefined> {
      if (!message.includes("@")) return undefined
      const all = await folders.list()
      return readMention(
        message,
        all.map((it) => it.slug),
      )
    },
    make: folders.make,
    validate: folders.validate,
    trust: folders.trust,
  }
}
