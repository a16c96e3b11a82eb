import { hostname } from "node:os"
import type { Agents } from "#act/agents"
import { createIds, endProcessTree, isSameProcessAlive, processIdentity } from "#ground/base"
import type { Capture } from "#ground/contract"
import { costOf } from "#ground/tokens"
import { contextMessage } from "#see/capture"
import { directoryProblem, projectFolders } from "#see/repo"
import { loadSecrets } from "./known-secrets.ts"
import type { OperationDeps } from "./operations.ts"

type Deps = Omit<OperationDeps, "agents"> & {
  /** A capture of a directory with its texts, which is not kept. */
  capture(directory: string): Promise<Capture>
}

/** The runs of this process, on the store of this repository. */
export async function openAgents(deps: Deps): Promise<Agents> {
  const { agentEnvironment, createAgents, loadAgent } = await import("#act/agents")
  const { root } = deps.places().repository
  const secrets = await loadSecrets(root, deps)
  const own = processIdentity()
  return createAgents({
    db: (await deps.store()).forRoom("agents"),
    clock: deps.clock,
    ids: createIds(deps),
    log: deps.log,
    owner: { pid: own.pid, startedAt: own.startedAt ?? "", machine: hostname() },
    agent: loadAgent,
    environmentFor: (type) => agentEnvironment(type, deps.environment()),
    environment: deps.environment,
    projectFolders,
    directoryProblem,
    root: () => root,
    isAlive: isSameProcessAlive,
    endProcess: (identity) => endProcessTree(identity),
    redact: (text) => secrets.redact(text).text,
    redactEvent: (event) => secrets.redactJson(event).value,
    priceOf: (usage, model) => priceOf(usage, model),
    contextMessage: async (cwd) => contextMessage(await deps.capture(cwd)),
    // The live door of the server listens here; a command line has nobody to tell.
    tell: () => {},
    tellDelta: () => {},
    maxRunning: () => deps.config().agents.maxRunning,
  })
}

type Usage = {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

function priceOf(usage: Usage, model: string): number | undefined {
  const cost = costOf(
    {
      inputTokens: usage.input,
      outputTokens: usage.output,
      cacheReadTokens: usage.cacheRead,
      cacheWriteTokens: usage.cacheWrite,
    },
    model,
  )
  return cost.kind === "priced" ? cost.usd : undefined
}
