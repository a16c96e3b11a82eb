import path from "node:path"
import type { Pipelines } from "#act/pipeline"
import { isSameProcessAlive } from "#ground/base"
import type { Run } from "#ground/contract"
import type { Model } from "#ground/model"
import { PROJECT_FOLDER } from "#see/repo"
import { loadSecrets } from "./known-secrets.ts"
import { openModel } from "./modelling.ts"
import type { OperationDeps } from "./operations.ts"
import { processOwner } from "./owner.ts"
import { runStageAgent } from "./stage-agent.ts"

/** Agents people can run that come with the product. */
export const SHIPPED_AGENTS = path.join(import.meta.dirname, "../../../agents")

type Deps = Omit<OperationDeps, "mapping" | "fold" | "memory" | "mayWriteFiles">

/** Whoever answers by the settings of now; without a provider, our own few rules. */
export async function openStageModel(deps: Deps): Promise<Model> {
  const { offlineBrain } = await import("#act/pipeline")
  return openModel(deps, offlineBrain)
}

/** The pipelines of this process, on the store of this repository. */
export async function openPipelines(deps: Deps): Promise<Pipelines> {
  const { createFolders, createPipelines, createStages } = await import("#act/pipeline")
  const { home, repository } = deps.places()
  const store = await deps.store()
  const secrets = await loadSecrets(repository.root, deps)
  return createPipelines({
    db: store.forRoom("pipeline"),
    onAdvance: store.onAdvance,
    clock: deps.clock,
    log: deps.log,
    owner: processOwner(deps.random),
    isAlive: isSameProcessAlive,
    model: () => openStageModel(deps),
    stages: createStages(await portsOf(deps)),
    count: async () => (await deps.tokens.counter()).count,
    windowTokens: () => deps.config().pipeline.window,
    defaultBudgetUsd: () => deps.config().pipeline.budget,
    hasClassifier: () => deps.config().pipeline.classifier,
    redact: (text) => secrets.redact(text).text,
    redactJson: (value) => secrets.redactJson(value).value,
    sendToSession: async (session, text) => void (await (await deps.agents()).send(session, text)),
    directory: path.join(repository.stateDirectory, "pipelines"),
    folders: createFolders({
      shipped: SHIPPED_AGENTS,
      user: path.join(home, "agents"),
      project: path.join(repository.root, PROJECT_FOLDER, "agents"),
      trustFile: path.join(home, "approvals", "agents.json"),
      log: deps.log,
    }),
  })
}

/** What stages use of the other rooms. */
async function portsOf(deps: Deps) {
  const { citationAccuracy, entityGrounding, findContradictions, relationPreservation } =
    await import("#know/knowledge")
  const knowledge = async () => deps.knowledge()
  return {
    knowledge: {
      search: async (...asked: Parameters<Room["search"]>) => (await knowledge()).search(...asked),
      hop: async (input: Parameters<Room["hop"]>[0]) => (await knowledge()).hop(input),
      trace: async (input: Parameters<Room["trace"]>[0]) => (await knowledge()).trace(input),
      paragraphs: async (ids: readonly string[]) => (await knowledge()).paragraphs(ids),
    },
    verify: { citationAccuracy, entityGrounding, findContradictions, relationPreservation },
    web: async (question: Parameters<Sources["webSearch"]>[0]) =>
      (await deps.sources()).webSearch({
        ...question,
        source: question.source ?? namedSource(deps),
      }),
    startAgent: (wanted: Parameters<typeof runStageAgent>[0]) => runStageAgent(wanted, deps),
    count: async () => (await deps.tokens.counter()).count,
  }
}

type Room = Awaited<ReturnType<OperationDeps["knowledge"]>>
type Sources = Awaited<ReturnType<OperationDeps["sources"]>>

/** The source people chose for the web; empty means the first that can. */
export function namedSource({ config }: Pick<Deps, "config">): string | undefined {
  const { webSource } = config().knowledge
  return webSource === "" ? undefined : webSource
}

/**
 * What is said to a run may be for a pipeline of its session: an answer to its pause, or a call of
 * an agent by its name. Gives the run as it is when it was, and nothing when it is for the agent.
 */
export async function hearForPipelines(
  run: Run,
  text: string,
  deps: Pick<Deps, "pipelines">,
): Promise<boolean> {
  const pipelines = await deps.pipelines()
  const { runs } = await pipelines.list({ session: run.id, limit: 1 })
  const [newest] = runs
  if (newest?.status === "paused") {
    const { signal } = new AbortController()
    await pipelines.say(newest.id, { text, by: "you", signal })
    return true
  }
  const called = await pipelines.agents.mentioned(text)
  if (called === undefined || called.query === "") return false
  await pipelines.run({
    agent: called.slug,
    query: called.query,
    session: run.id,
    depth: "standard",
    auto: false,
  })
  return true
}
