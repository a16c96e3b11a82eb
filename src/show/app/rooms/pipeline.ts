import path from "node:path"
import type { Agents } from "#act/agents"
import type { Pipelines } from "#act/pipeline"
import { type Clock, isAppError, isSameProcessAlive, packageFile } from "#ground/base"
import {
  AGENT_TYPES,
  AgentType,
  type KbWeb,
  type PipelineReply,
  type Run,
  type SourceTools,
  type StageCall,
} from "#ground/contract"
import type { Model } from "#ground/model"
import type { Knowledge } from "#know/knowledge"
import { PROJECT_FOLDER } from "#see/repo"
import type { Sources } from "#see/sources"
import type { Services } from "../services.ts"
import { openConnection, openModel } from "./model.ts"

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
async function openStageModel(deps: PipelineDeps, connection?: string): Promise<Model> {
  const { offlineBrain } = await import("#act/pipeline")
  if (connection !== undefined) return openConnection(deps, connection)
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
    model: (connection) => openStageModel(deps, connection),
    stages: createStages(await portsOf(deps)),
    count: async () => (await deps.tokens.modelCounter()).count,
    windowTokens: () => deps.config().pipeline.window,
    defaultBudgetUsd: () => deps.config().pipeline.budget,
    hasClassifier: () => deps.config().pipeline.classifier,
    redact: (text) => secrets.redact(text).text,
    redactJson: (value) => secrets.redactJson(value).value,
    sendToSession: async (session, text) => void (await (await deps.agents()).send(session, text)),
    appendToSession: async (...args) => (await deps.agents()).appendFrom(...args),
    unapproved: (slugs) => unapprovedOf(slugs, deps),
    requireAgent: () => chosenAgent(deps),
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
    callTool: async ({ source, tool, args }: StageCall, signal: AbortSignal) =>
      (await deps.sources()).call(source, { tool, args }, { signal }),
    sourceTools: (slugs: readonly string[], signal: AbortSignal) => toolsOf(slugs, signal, deps),
    startAgent: (request: Parameters<typeof runStageAgent>[0]) => runStageAgent(request, deps),
    count: async () => (await deps.tokens.modelCounter()).count,
  }
}

/** Of the sources that work; the notes name the others. */
async function toolsOf(
  slugs: readonly string[],
  signal: AbortSignal,
  { sources }: Pick<Services, "sources">,
): Promise<SourceTools> {
  const room = await sources()
  const listed = await Promise.all(
    slugs.map((slug) =>
      room.tools(slug, { signal }).catch((error: unknown) => {
        if (signal.aborted || !isAppError(error)) throw error
        return { tools: [], notes: [error.message] }
      }),
    ),
  )
  return { tools: listed.flatMap((it) => it.tools), notes: listed.flatMap((it) => it.notes) }
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
    (it) => it.isReady && it.origin !== "shipped" && it.provides.includes("web-search"),
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
  deps: MentionDeps & { readonly appendFrom: Agents["appendFrom"] },
): Promise<boolean> {
  const pipelines = await deps.pipelines()
  const { runs } = await pipelines.list({ session: run.id, limit: 1 })
  const [newest] = runs
  if (newest?.status === "paused") {
    const { signal } = new AbortController()
    const reply = await pipelines.say(newest.id, { text, by: "you", signal })
    // A message that changes nothing is no event of the pipeline, so its reply is stored here.
    if (reply.run.lastSeq === newest.lastSeq) await appendReply(run, { text, ...reply }, deps)
    return true
  }
  const called = await mentionIn(text, deps)
  if (called === undefined) return false
  await startIn(run, called, deps)
  return true
}

type MentionDeps = Pick<Services, "log" | "pipelines" | "sources">

async function appendReply(
  { id, lastSeq }: Run,
  { text, run, reply }: PipelineReply & { readonly text: string },
  { appendFrom }: { readonly appendFrom: Agents["appendFrom"] },
): Promise<void> {
  const at = run.updatedAt
  const metadata = { pipeline: { id: run.id } }
  await appendFrom(id, `${run.id}-reply-${lastSeq}`, [
    { type: "user", role: "user", content: text, metadata, order: 1, at },
    { type: "system", role: "system", content: reply, metadata, order: 2, at },
  ])
}

/** The recipe that a message names, with the question that follows. */
export async function mentionIn(
  text: string,
  deps: Pick<Services, "pipelines">,
): Promise<RecipeMention | undefined> {
  if (!text.includes("@")) return undefined
  const called = await (await deps.pipelines()).recipes.mentioned(text)
  return called === undefined || called.query === "" ? undefined : called
}

type RecipeMention = { readonly slug: string; readonly query: string }

export async function startIn(
  { id: session, startedBy }: Pick<Run, "id" | "startedBy">,
  { slug, query }: RecipeMention,
  deps: MentionDeps,
): Promise<void> {
  await enableSources(session, slug, deps)
  const input = { agent: slug, query, session, depth: "standard", auto: false } as const
  await (await deps.pipelines()).run(input, startedBy ?? undefined)
}

/** A recipe that the user mentions may use its sources; so may the agent of that session. */
async function enableSources(session: string, slug: string, deps: MentionDeps): Promise<void> {
  try {
    const { recipe } = await (await deps.pipelines()).recipes.show(slug)
    const sources = await deps.sources()
    const approved = (await sources.list()).filter((it) => it.isApproved).map((it) => it.slug)
    const named = recipe.sources.filter((it) => approved.includes(it))
    if (named.length > 0) await sources.enable(session, named)
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("sources of a recipe stay off", { slug, code: error.code })
  }
}

type StageAgentRequest = {
  readonly type: string | undefined
  readonly prompt: string
  readonly mode: Run["mode"]
  readonly paths: readonly string[]
  readonly title: string
  readonly person: string | undefined
  readonly budgetUsd: number | undefined
  readonly script: string | undefined
  readonly signal: AbortSignal
  onApproval(approval: { readonly id: string; readonly title: string }): void
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

/** The agent of the settings, or the first that is installed; never the synthetic one unasked. */
async function chosenAgent(
  deps: Pick<Services, "config" | "environment" | "places">,
): Promise<AgentType> {
  const { agent } = deps.config().pipeline
  if (agent !== "installed") return agent
  const programs = AGENT_TYPES.filter((it) => it !== "synthetic")
  const { findProvider } = await import("./agents.ts")
  for (const type of programs) if ((await findProvider(type, deps)).isInstalled) return type
  const { NoAgentInstalled } = await import("#act/pipeline")
  throw NoAgentInstalled({ known: programs })
}

/** Runs an agent from start to end in this process. */
async function runStageAgent(
  request: StageAgentRequest,
  deps: Pick<Services, "agents" | "clock" | "config" | "environment" | "places">,
): Promise<StageAgentResult> {
  const agents = await deps.agents()
  const type = AgentType.parse(request.type ?? (await chosenAgent(deps)))
  const started = await agents.start(
    {
      type,
      prompt: request.prompt,
      by: request.person,
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
  const run = await untilEnded(started.id, request, { agents, clock: deps.clock })
  return {
    runId: run.id,
    outcome: outcomeOf(run),
    text: await lastWords(run, agents),
    // A scripted agent calls no model.
    usd: type === "synthetic" ? 0 : (run.cost.reportedUsd ?? run.cost.computedUsd),
    tokens: run.cost.usage.input + run.cost.usage.output,
  }
}

/**
 * Resolves with the run's end, and reports each question of the agent that waits for the user.
 * Aborting the stage stops the agent and waits for its end.
 */
async function untilEnded(
  id: string,
  { signal, onApproval }: Pick<StageAgentRequest, "signal" | "onApproval">,
  { agents, clock }: { readonly agents: Agents; readonly clock: Clock },
): Promise<Run> {
  const stop = (): void => void agents.stop(id).catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  if (signal.aborted) stop()
  const reported = new Set<string>()
  let next = Promise.withResolvers<void>()
  const unhear = agents.onMessages((runId) => {
    if (runId === id) next.resolve()
  })
  const reportApprovals = async (): Promise<void> => {
    const open = (await agents.approvals(id)).filter((it) => it.status === "open")
    for (const approval of open.filter((it) => !reported.has(it.id))) {
      reported.add(approval.id)
      onApproval(approval)
    }
  }
  try {
    for (;;) {
      const waiting = next
      const run = await agents.get(id)
      if (run.endedAt !== null) return run
      if (run.status === "waiting") await reportApprovals()
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
