import path from "node:path"
import type { Agents, Ask, ContextPartsRequest, PermissionRules } from "#act/agents"
import { createIds, endProcessTree, isSameProcessAlive, makeTemporaryDirectory } from "#ground/base"
import type { AgentType, Capture, HostName, PackBuilt, Run } from "#ground/contract"
import { contextMessage } from "#see/capture"
import { belongsToRepository, directoryProblem, projectFolders } from "#see/repo"
import type { OperationDeps } from "../operations.ts"
import { priceOf } from "../price.ts"
import { processOwner } from "../process-owner.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"
import { contextParts } from "./agent-context.ts"
import { proxyRuns } from "./gateway.ts"

type Deps = Omit<OperationDeps, "agents" | "mapping" | "mayWriteFiles"> & {
  /** A capture of a directory with its texts, which is not kept. */
  capture(directory: string, host: HostName): Promise<Capture>
  /** A kept package, written for a model. */
  pack(id: string): Promise<PackBuilt>
}

/** The runs of this process, on the store of this repository. */
export async function openAgents(deps: Deps): Promise<Agents> {
  const { agentEnvironment, createAgents, checkResumable, loadAgent } = await import("#act/agents")
  const { repository } = deps.places()
  const { root, stateDirectory } = repository
  const hostPlaces = () => ({
    home: deps.environment()["HOME"] ?? "",
    environment: deps.environment(),
  })
  const secrets = await loadSecrets(root, deps)
  const redactJson = (value: unknown): unknown => secrets.redactJson(value).value
  const store = await deps.store()
  const agents = createAgents({
    db: store.forRoom("agents"),
    onAdvance: store.onAdvance,
    clock: deps.clock,
    ids: createIds(deps),
    log: deps.log,
    owner: processOwner(deps.random),
    agent: loadAgent,
    environmentFor: (type) => agentEnvironment(type, deps.environment()),
    environment: deps.environment,
    projectFolders,
    directoryProblem,
    belongsToRepository: (directory) => belongsToRepository(directory, repository),
    root: () => root,
    isAlive: isSameProcessAlive,
    endProcess: (identity) => endProcessTree(identity),
    redact: (text) => secrets.redact(text).text,
    redactEvent: redactJson,
    redactJson,
    priceOf,
    ...contextFor(deps),
    rules: async (changes) => rulesFor(changes, await deps.permissions()),
    carry: proxyRuns(deps),
    checkResumable: async ({ type, sessionId }) =>
      sessionId !== null && checkResumable({ type, sessionId }, hostPlaces()),
    hostPlaces,
    sessionsDirectory: path.join(stateDirectory, "sessions"),
    resolve: deps.resolve,
    count: async () => (await deps.tokens.counter()).count,
    delimiter: () => randomName(deps),
    wantsTitles: () => deps.config().agents.titles,
    temporaryDirectory: makeTemporaryDirectory,
    maxRunning: () => deps.config().agents.maxRunning,
  })
  return { ...agents, send: sendOrDivert(agents, deps), ...withWire(agents, deps) }
}

/** What the gateway knows of runs: it is shown with them, and goes with them. */
function withWire(agents: Agents, deps: Deps): Pick<Agents, "context" | "remove"> {
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

/** A person's rules as they are now, and before them what the run may not change. */
async function rulesFor(changes: readonly string[] | undefined, permissions: PermissionRules) {
  await permissions.reload()
  const verdict =
    changes === undefined
      ? permissions.verdict
      : (ask: Ask) => permissions.verdictWithin(changes, ask)
  return { verdict, restricting: permissions.restricting() }
}

/** What is said to a session is first offered to its pipeline, which may wait for an answer. */
function sendOrDivert(agents: Agents, deps: Deps): Agents["send"] {
  return async (id, text, how) => {
    const run = await agents.get(id)
    const { hearForPipelines } = await import("./pipeline.ts")
    const isTheirs = await hearForPipelines(run, text, deps)
    return isTheirs ? agents.get(id) : agents.send(id, text, how)
  }
}

/** What an agent is told beside a person's words, and what is shown of its context. */
function contextFor(deps: Deps) {
  return {
    contextMessage: async (run: Run, cwd: string) =>
      contextMessage(await deps.capture(cwd, hostOf(run.type))),
    contextParts: (run: Run, asked: ContextPartsRequest) => contextParts(run, asked, deps),
    keptPack: async (given: string) => (await deps.pack(given)).pack.id,
  }
}

function randomName({ random }: Pick<Deps, "random">): string {
  return Buffer.from(random.bytes(12)).toString("hex")
}

/** The synthetic agent loads nothing; it is shown what the most usual host would load. */
function hostOf(type: AgentType): HostName {
  return type === "synthetic" ? "claude-code" : type
}
