import path from "node:path"
import type { Agents } from "#act/agents"
import type { Pipelines } from "#act/pipeline"
import { type Clock, isSameProcessAlive, packageFile } from "#ground/base"
import { AgentType, type KbWeb, type Run } from "#ground/contract"
import type { Model } from "#ground/model"
import type { Knowledge } from "#know/knowledge"
import { PROJECT_FOLDER } from "#see/repo"
import type { Sources } from "#see/sources"
import type { Services } from "../services.ts"
import { openModel } from "./model.ts"

/** Recipes that come with the product. */
export const SHIPPED_RECIPES = packageFile("recipes")

type PipelineDeps = Pick<
  Services,
  | "agents"
  | "clock"
  | "config"
  | "credentials"
  | "environment"
  | "knowledge"
  | "log"
  | "owner"
  | "places"
  | "random"
  | "secrets"
  | "sources"
  | "store"
  | "tokens"
>

/** Without a provider, the offline rules. */
async function openStageModel(deps: PipelineDeps): Promise<Model> {
  const { offlineBrain } = await import("#act/pipeline")
  return openModel(deps, offlineBrain)
}

export async function openPipelines(deps: PipelineDeps): Promise<Pipelines> {
  const { createFolders, createPipelines, createStages } = await import("#act/pipeline")
  const { home, repository } = deps.places()
  const store = await deps.store()
  const secrets = await deps.secrets()
  return createPipelines({
    db: store.forRoom("pipeline"),
    onAdvance: store.onAdvance,
    clock: deps.clock,
    log: deps.log,
    owner: deps.owner(),
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
      shipped: SHIPPED_RECIPES,
      user: ["agents", "recipes"].map((it) => path.join(home, it)),
      project: ["agents", "recipes"].map((it) => path.join(repository.root, PROJECT_FOLDER, it)),
      trustFile: path.join(home, "approvals", "agents.json"),
      log: deps.log,
    }),
  })
}

/**
 * Sources that a recipe names and the user has not approved; the web uses any source that can
 * search.
 */
async function unapprovedOf(slugs: readonly string[], { sources }: Pick<Services, "sources">) {
  const named = slugs.filter((it) => it !== "web-search")
  if (named.length === 0) return []
  const approved = (await (await sources()).list()).filter((it) => it.isApproved)
  return named.filter((slug) => !approved.some((it) => it.slug === slug))
}

async function portsOf(deps: PipelineDeps) {
  const { citationAccuracy, entityGrounding, findContradictions, relationPreservation } =
    await import("#know/knowledge")
  const knowledge = async () => deps.knowledge()
  return {
    knowledge: {
      search: async (...args: Parameters<Knowledge["search"]>) =>
        (await knowledge()).search(...args),
      hop: async (input: Parameters<Knowledge["hop"]>[0]) => (await knowledge()).hop(input),
      trace: async (input: Parameters<Knowledge["trace"]>[0]) => (await knowledge()).trace(input),
      paragraphs: async (ids: readonly string[]) => (await knowledge()).paragraphs(ids),
    },
    verify: { citationAccuracy, entityGrounding, findContradictions, relationPreservation },
    web: (question: Parameters<Sources["webSearch"]>[0]) => searchWeb(question, deps),
    startAgent: (request: Parameters<typeof runStageAgent>[0]) => runStageAgent(request, deps),
    count: async () => (await deps.tokens.counter()).count,
  }
}

/**
 * Uses the source that the user chose, or the first of theirs that can search. The demo's web pages
 * are used only with the demo's handbook.
 */
export async function searchWeb(
  question: Parameters<Sources["webSearch"]>[0],
  deps: Pick<Services, "config" | "knowledge" | "sources">,
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
const NO_WEB =
  "no source of yours can search the web; `qm source` lists them. The made-up pages of demo-web are used only if you choose them: `qm config set knowledge.webSource demo-web`"

async function isDemo({ knowledge }: Pick<Services, "knowledge">): Promise<boolean> {
  const { folders } = await (await knowledge()).status()
  return folders.length > 0 && folders.every((it) => it.folder.startsWith(SHIPPED_RECIPES))
}

/**
 * A message to a run may be for a pipeline of its session: an answer to its pause, or the name of a
 * recipe. True if it was, false if the message is for the agent.
 */
export async function hearForPipelines(
  run: Run,
  text: string,
  deps: Pick<Services, "pipelines">,
): Promise<boolean> {
  const pipelines = await deps.pipelines()
  const { runs } = await pipelines.list({ session: run.id, limit: 1 })
  const [newest] = runs
  if (newest?.status === "paused") {
    const { signal } = new AbortController()
    await pipelines.say(newest.id, { text, by: "you", signal })
    return true
  }
  const called = await pipelines.recipes.mentioned(text)
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

type StageAgentRequest = {
  readonly type: string | undefined
  readonly prompt: string
  readonly mode: Run["mode"]
  readonly paths: readonly string[]
  readonly title: string
  readonly budgetUsd: number | undefined
  readonly script: string | undefined
  readonly signal: AbortSignal
}
type StageAgentResult = {
  readonly runId: string
  readonly outcome: "completed" | "failed" | "stopped"
  readonly text: string
  readonly usd: number | null
  readonly tokens: number
}

/** Enough to find the last answer, which closely follows the last tool. */
const LAST_MESSAGES = 200
const POLL_INTERVAL_MS = 2_000

/** Runs an agent from start to end in this process. */
async function runStageAgent(
  request: StageAgentRequest,
  deps: Pick<Services, "agents" | "clock" | "config">,
): Promise<StageAgentResult> {
  const agents = await deps.agents()
  const type = AgentType.parse(request.type ?? deps.config().pipeline.agent)
  const started = await agents.start(
    {
      type,
      prompt: request.prompt,
      configuration: {
        mode: request.mode,
        ...(request.paths.length === 0 ? {} : { changes: [...request.paths] }),
        ...(request.budgetUsd === undefined ? {} : { budgetUsd: request.budgetUsd }),
        ...(type === "synthetic" && request.script !== undefined ? { script: request.script } : {}),
      },
    },
    { isHere: true },
  )
  await agents.edit(started.id, { title: request.title, isTitleOwn: true })
  const run = await untilEnded(started.id, request.signal, { agents, clock: deps.clock })
  return {
    runId: run.id,
    outcome: outcomeOf(run),
    text: await lastWords(run, agents),
    // A scripted agent calls no model.
    usd: type === "synthetic" ? 0 : (run.cost.reportedUsd ?? run.cost.computedUsd),
    tokens: run.cost.usage.input + run.cost.usage.output,
  }
}

/** Resolves with the run's end; aborting the stage stops the agent and waits for its end. */
async function untilEnded(
  id: string,
  signal: AbortSignal,
  { agents, clock }: { readonly agents: Agents; readonly clock: Clock },
): Promise<Run> {
  const stop = (): void => void agents.stop(id).catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  if (signal.aborted) stop()
  let next = Promise.withResolvers<void>()
  const unhear = agents.onMessages((runId) => {
    if (runId === id) next.resolve()
  })
  try {
    for (;;) {
      const waiting = next
      const run = await agents.get(id)
      if (run.endedAt !== null) return run
      // Polls too: another process may have stopped it.
      const slept = new AbortController()
      await Promise.race([
        waiting.promise,
        clock.sleep(POLL_INTERVAL_MS, slept.signal).catch(() => {}),
      ])
      slept.abort()
      next = Promise.withResolvers<void>()
    }
  } finally {
    unhear()
    signal.removeEventListener("abort", stop)
  }
}

function outcomeOf({ status }: Run): StageAgentResult["outcome"] {
  if (status === "completed") return "completed"
  return status === "stopped" || status === "interrupted" ? "stopped" : "failed"
}

async function lastWords(run: Run, agents: Agents): Promise<string> {
  const after = Math.max(0, run.lastSeq - LAST_MESSAGES)
  const messages = await agents.messages(run.id, { after, limit: LAST_MESSAGES, brief: false })
  const answers = messages.filter((it) => it.type === "response" || it.type === "assistant")
  return answers.at(-1)?.content ?? run.error ?? ""
}
