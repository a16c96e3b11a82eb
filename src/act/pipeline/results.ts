import type { Log } from "#ground/base"
import type { PipelineLine, PipelineSummary } from "#ground/contract"
import { answerOf, findPrior } from "./continuity/prior.ts"
import { readAnswer, readSummary, writeResults } from "./continuity/result-files.ts"
import { promptBlock, type RunResults, summaryOf } from "./continuity/summary.ts"
import { type EventStore, stateOf } from "./engine/store/event-store.ts"
import type { RunState } from "./events/state.ts"
import { documentOf, runView } from "./events/views.ts"
import type { PriorAnswer } from "./stage.ts"

const MOST_LOOKED_THROUGH = 500

type Deps = {
  readonly eventStore: Pick<EventStore, "events" | "list">
  readonly log: Log
  readonly directory: string
}

export type Results = ReturnType<typeof createResults>

export function createResults({ eventStore, log, directory }: Deps) {
  const locationOf = (run: string) => ({ directory, run })
  const read = async (run: string): Promise<RunState> => stateOf(run, await eventStore.events(run))

  const summary = (run: string): Promise<PipelineSummary> =>
    readSummary(locationOf(run), {
      rebuild: async () => summaryOf(resultsOf(await read(run))),
      log,
    })
  return {
    summary,
    now: (state: RunState): PipelineSummary => summaryOf(resultsOf(state)),
    /** The events contain everything, so a failed write does no harm. */
    async write(state: RunState): Promise<void> {
      const results = resultsOf(state)
      const document = documentOf(state)?.markdown
      const answer = document === undefined ? undefined : answerOf(results)
      try {
        await writeResults(locationOf(state.id), { summary: summaryOf(results), answer, document })
      } catch (error) {
        log.warn("the results of a pipeline run were not written", {
          id: state.id,
          error: String(error),
        })
      }
    },
    async findPrior(
      run: Pick<PipelineLine, "agent" | "session" | "query">,
    ): Promise<string | null> {
      const rows = await eventStore.list({ agent: run.agent, limit: MOST_LOOKED_THROUGH })
      return findPrior({ ...run, runs: rows.map((it) => it.line) })?.id ?? null
    },
    prior: (run: string): Promise<PriorAnswer> =>
      readAnswer(locationOf(run), {
        rebuild: async () => answerOf(resultsOf(await read(run))),
        log,
      }),
    /** The summary block for a session's next turn; undefined if none of its runs has ended. */
    async blockFor(session: string): Promise<string | undefined> {
      const rows = await eventStore.list({ session, limit: MOST_LOOKED_THROUGH })
      const endedAt = (row: (typeof rows)[number]): number => row.line.endedAt ?? 0
      const [ended] = rows
        .filter((it) => it.line.endedAt !== null)
        .toSorted((one, other) => endedAt(other) - endedAt(one))
      return ended === undefined ? undefined : promptBlock(await summary(ended.id))
    },
  }
}

export function resultsOf(state: RunState): RunResults {
  const outputs = state.start.config.stages.flatMap(({ name }, at) => {
    const stage = state.stages[at]
    return stage?.hasOutput === true ? [[name, stage.output] as const] : []
  })
  return { run: runView(state, { isAlone: false }), outputs: Object.fromEntries(outputs) }
}
