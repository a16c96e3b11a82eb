import path from "node:path"
import type { Pipelines } from "#act/pipeline"
import { isSameProcessAlive } from "#ground/base"
import type { KbWeb, Run } from "#ground/contract"
import type { Model } from "#ground/model"
import { PROJECT_FOLDER } from "#see/repo"
import type { OperationDeps } from "../operations.ts"
import { processOwner } from "../process-owner.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"
import { openModel } from "./model.ts"
import { runStageAgent } from "./stage-agent.ts"

/** Agents people can run that come with the product. */
export const SHIPPED_AGENTS = path.join(import.meta.dirname, "../../../../agents")

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
    unapproved: (slugs) => unapprovedOf(slugs, deps),
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

/** Those that an agent asks for by name and nobody has approved; the web is whichever there is. */
async function unapprovedOf(slugs: readonly string[], { sources }: Pick<Deps, "sources">) {
  const named = slugs.filter((it) => it !== "web-search")
  if (named.length === 0) return []
  const approved = (await (await sources()).list()).filter((it) => it.isApproved)
  return named.filter((slug) => !approved.some((it) => it.slug === slug))
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
    web: (question: Parameters<Sources["webSearch"]>[0]) => searchWeb(question, deps),
    startAgent: (wanted: Parameters<typeof runStageAgent>[0]) => runStageAgent(wanted, deps),
    count: async () => (await deps.tokens.counter()).count,
  }
}

type Room = Awaited<ReturnType<OperationDeps["knowledge"]>>
type Sources = Awaited<ReturnType<OperationDeps["sources"]>>

/**
 * The web as this person has it: the source they chose, or the first of theirs that can. The demo's
 * made-up pages go with the demo's handbook, and with nothing else.
 */
export async function searchWeb(
  question: Parameters<Sources["webSearch"]>[0],
  deps: Pick<Deps, "config" | "knowledge" | "sources">,
): Promise<KbWeb> {
  const sources = await deps.sources()
  const named = question.source ?? deps.config().knowledge.webSource
  if (named !== "") return sources.webSearch({ ...question, source: named })
  const own = (await sources.list()).find(
    (it) => it.isApproved && it.origin !== "shipped" && it.provides.includes("web-search"),
  )
  const slug = own?.slug ?? ((await isDemo(deps)) ? DEMO_WEB : undefined)
  if (slug === undefined) return { source: null, note: NO_WEB, results: [] }
  return sources.webSearch({ ...question, source: slug })
}

const DEMO_WEB = "demo-web"
const NO_WEB = "no approved source searches the web; `qm source` lists them"

async function isDemo({ knowledge }: Pick<Deps, "knowledge">): Promise<boolean> {
  const { folders } = await (await knowledge()).status()
  return folders.length > 0 && folders.every((it) => it.folder.startsWith(SHIPPED_AGENTS))
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
