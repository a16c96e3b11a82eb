import path from "node:path"
import type { Agents, ContextPartsRequest, PermissionQuestion, PermissionRules } from "#act/agents"
import {
  createIds,
  endProcessTree,
  isSameProcessAlive,
  leadsTo,
  makeTemporaryDirectory,
  shareNext,
} from "#ground/base"
import {
  AGENT_TYPES,
  type AgentType,
  Capture,
  HostName,
  type Provider,
  type Run,
} from "#ground/contract"
import { contextMessage, createHistory } from "#see/capture"
import { belongsToRepository, directoryProblem, PROJECT_FOLDER, projectFolders } from "#see/repo"
import type { Services } from "../services.ts"
import { contextParts, showPack } from "./agent-context.ts"
import { proxyRuns } from "./gateway.ts"
import { priceOf } from "./tokens.ts"

type AgentsDeps = Pick<
  Services,
  | "call"
  | "clock"
  | "config"
  | "environment"
  | "gateway"
  | "log"
  | "memory"
  | "owner"
  | "permissions"
  | "pipelines"
  | "places"
  | "random"
  | "resolve"
  | "secrets"
  | "sources"
  | "store"
  | "tokens"
>

export async function openAgents(deps: AgentsDeps): Promise<Agents> {
  const { acpHost, agentEnvironment, createAgents, checkResumable, loadAgent } = await import(
    "#act/agents"
  )
  const acpCommand = () => deps.config().agents.acp
  const { repository } = deps.places()
  const { root, stateDirectory } = repository
  const hostPlaces = () => ({
    home: deps.environment()["HOME"] ?? "",
    environment: deps.environment(),
  })
  const secrets = await deps.secrets()
  const redactJson = (value: unknown): unknown => secrets.redactJson(value).value
  const store = await deps.store()
  const agents = createAgents({
    db: store.forRoom("agents"),
    onAdvance: store.onAdvance,
    clock: deps.clock,
    ids: createIds(deps),
    log: deps.log,
    owner: deps.owner(),
    agent: (type) => loadAgent(type, acpCommand()),
    environmentFor: (type) => agentEnvironment(type, deps.environment(), acpCommand()),
    environment: deps.environment,
    projectFolders,
    directoryProblem,
    belongsToRepository: (directory) => belongsToRepository(directory, repository),
    root: () => root,
    isAlive: isSameProcessAlive,
    endProcess: (identity) => endProcessTree(identity),
    redact: (text) => secrets.redact(text).text,
    redactEvent: redactJson,
    prepareRedaction: secrets.prepare,
    redactJson,
    priceOf,
    ...contextFor(deps, (type) => (type === "acp" ? acpHost(acpCommand()) : type)),
    rules: async (changes) => rulesFor(changes, await deps.permissions()),
    proxy: proxyRuns(deps),
    checkResumable: async ({ type, sessionId }) =>
      sessionId !== null && checkResumable({ type, sessionId }, hostPlaces()),
    hostPlaces,
    sessionsDirectory: path.join(stateDirectory, "sessions"),
    resolve: deps.resolve,
    count: async () => (await deps.tokens.modelCounter()).count,
    delimiter: () => randomName(deps),
    wantsTitles: () => deps.config().agents.titles,
    temporaryDirectory: makeTemporaryDirectory,
    maxRunning: () => deps.config().agents.maxRunning,
  })
  return { ...agents, ...withPipelines(agents, deps), ...withWire(agents, deps) }
}

/** Adds the gateway's numbers to a run's context, and deletes its records with the run. */
function withWire(agents: Agents, deps: AgentsDeps): Pick<Agents, "context" | "remove"> {
  return {
    async context(id) {
      const context = await agents.context(id)
      return { ...context, wire: (await (await deps.gateway()).contextOf(id)) ?? null }
    },
    async remove(id) {
      await agents.remove(id)
      await (await deps.gateway()).deleteRun(id)
    },
  }
}

/** The user's rules. If the run has `changes`, edits outside those paths are judged first. */
async function rulesFor(changes: readonly string[] | undefined, permissions: PermissionRules) {
  await permissions.reload()
  const verdict =
    changes === undefined
      ? permissions.verdict
      : (ask: PermissionQuestion) => permissions.verdictWithin(changes, ask)
  return { verdict, restricting: permissions.restricting() }
}

/**
 * A message to a session is offered to its pipeline first, which may wait for an answer. A session
 * whose first message names a recipe starts with its pipeline; the agent gets the next message.
 */
function withPipelines(agents: Agents, deps: AgentsDeps): Pick<Agents, "send" | "start"> {
  return {
    async send(id, text, how) {
      const run = await agents.get(id)
      const { hearForPipelines } = await import("./pipeline.ts")
      const isTheirs = await hearForPipelines(run, text, { ...deps, ...agents })
      return isTheirs ? agents.get(id) : agents.send(id, text, how)
    },
    async start(input, how) {
      const { mentionIn, startIn } = await import("./pipeline.ts")
      const called = how?.mayNameRecipe === true ? await mentionIn(input.prompt, deps) : undefined
      if (called === undefined) return agents.start(input, how)
      const run = await agents.open({ ...input, prompt: called.query })
      await startIn(run, called, deps)
      return agents.get(run.id)
    },
  }
}

function contextFor(deps: AgentsDeps, agentOf: (type: AgentType) => AgentType | undefined) {
  const takeCapture = sharedCaptures(deps)
  const markRun = lastRuns(deps)
  return {
    async contextMessage(run: Run, cwd: string) {
      const host = hostOf(agentOf(run.type))
      if (host === undefined) return undefined
      const capture = await takeCapture(cwd, host)
      const isStored = capture.historyProblem === null
      if (isStored) await markRun(capture.manifest.id, run.id)
      return contextMessage(capture)
    },
    contextParts: (run: Run, request: ContextPartsRequest) => contextParts(run, request, deps),
    keptPack: async (packId: string) => (await showPack(packId, deps)).pack.id,
  }
}

function randomName({ random }: Pick<Services, "random">): string {
  return Buffer.from(random.bytes(12)).toString("hex")
}

/** The synthetic agent loads nothing; it shows what Claude Code would load. */
function hostOf(type: AgentType | undefined): HostName | undefined {
  return type === "synthetic" ? "claude-code" : HostName.safeParse(type).data
}

/**
 * A capture with its texts; it is stored, so that the run's page opens this one. Runs that start
 * together share one.
 */
function sharedCaptures(deps: AgentsDeps) {
  const share = shareNext<Capture>()
  return (directory: string, host: HostName): Promise<Capture> =>
    share(`${host} ${directory}`, async () => {
      const { signal } = new AbortController()
      const input = { path: directory, host, content: true, save: true }
      return Capture.parse(await deps.call("capture.take", input, { signal }))
    })
}

/** Runs that share a capture are one write: each commit waits for the disk. */
function lastRuns(deps: AgentsDeps) {
  const share = shareNext<void>()
  const last = new Map<string, string>()
  return (capture: string, run: string): Promise<void> => {
    last.set(capture, run)
    return share(capture, async () => {
      const newest = last.get(capture) ?? run
      last.delete(capture)
      const history = createHistory((await deps.store()).forRoom("capture"))
      await history.setLastRun(capture, newest)
    })
  }
}

export async function openAgentHandlers(
  deps: Pick<Services, "agents" | "config" | "environment" | "permissions" | "places">,
) {
  const { agentsHandlers, organiseHandlers, permissionsHandlers } = await import("#act/agents")
  return {
    organise: organiseHandlers({ organising: async () => (await deps.agents()).organising }),
    agents: agentsHandlers({
      agents: deps.agents,
      providers: () => Promise.all(AGENT_TYPES.map((type) => findProvider(type, deps))),
      keepRule: async (approval) => void (await (await deps.permissions()).always(approval)),
    }),
    permissions: permissionsHandlers(deps),
  }
}

export async function openPermissions(
  deps: Pick<Services, "config" | "log" | "places">,
): Promise<PermissionRules> {
  const { createPermissions } = await import("#act/agents")
  const { repository, home } = deps.places()
  return createPermissions({
    file: path.join(repository.root, PROJECT_FOLDER, "permissions.json"),
    root: repository.root,
    home,
    settings: () => deps.config().agents,
    resolve: leadsTo,
    log: deps.log,
  })
}

export async function findProvider(
  type: AgentType,
  deps: Pick<Services, "config" | "environment" | "places">,
): Promise<Provider> {
  const { agentScripts, loadAgent } = await import("#act/agents")
  const agent = await loadAgent(type, deps.config().agents.acp)
  const { root } = deps.places().repository
  const program = await agent.find({
    environment: deps.environment(),
    projectFolders: await projectFolders(root),
  })
  const isInstalled = program.kind === "found"
  return {
    type,
    title: agent.title,
    isInstalled,
    program: isInstalled && program.program !== "" ? program.program : null,
    version: isInstalled ? (program.version ?? null) : null,
    hint: isInstalled ? "" : program.hint,
    scripts: type === "synthetic" ? [...(await agentScripts())] : [],
  }
}
