import { agentScripts, loadAgent } from "#act/agents"
import { AGENT_TYPES, type AgentType, type Provider } from "#ground/contract"
import { projectFolders } from "#see/repo"
import type { OperationDeps } from "../operations.ts"

type Deps = Pick<OperationDeps, "environment" | "places">

/** The agents there are, and which of them are on this machine. */
export function findProviders(deps: Deps): Promise<readonly Provider[]> {
  return Promise.all(AGENT_TYPES.map((type) => findProvider(type, deps)))
}

async function findProvider(type: AgentType, deps: Deps): Promise<Provider> {
  const agent = await loadAgent(type)
  const { root } = deps.places().repository
  const found = await agent.find({
    environment: deps.environment(),
    projectFolders: await projectFolders(root),
  })
  const isInstalled = found.kind === "found"
  return {
    type,
    title: agent.title,
    isInstalled,
    program: isInstalled && found.program !== "" ? found.program : null,
    version: isInstalled ? (found.version ?? null) : null,
    hint: isInstalled ? "" : found.hint,
    scripts: type === "synthetic" ? [...(await agentScripts())] : [],
  }
}
