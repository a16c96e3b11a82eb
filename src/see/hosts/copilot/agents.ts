import path from "node:path"
import { compareText, type JsonRecord } from "#ground/base"
import { belongsTo, type TrustFolders } from "../files/file-trust.ts"
import { strictText } from "../files/unicode.ts"
import type { HostItem } from "../host.ts"
import { DEEPEST_FOLDER_LEVELS, LARGEST_INSTRUCTION_BYTES } from "../limits.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import { type Folders, SOURCES } from "./folders.ts"
import { readHead } from "./skills.ts"

type Agent = {
  readonly at: string
  readonly scope: "user" | "project"
  readonly file: ReadFile
  readonly name: string
  readonly description: string
  readonly isListed: boolean
}

const KINDS = [".github", ".claude"]

export async function agentItems(
  reader: SurveyReader,
  folders: Folders,
): Promise<readonly HostItem[]> {
  const project = new Map<string, Agent>()
  const nearestFirst = [folders.cwd, ...folders.above.filter((it) => it !== folders.home)]
  const places = nearestFirst.flatMap((it) => KINDS.map((kind) => path.join(it, kind, "agents")))
  for (const folder of places) {
    const agents = await agentsIn(reader, folder, "project")
    for (const agent of agents.filter((it) => !project.has(it.name))) project.set(agent.name, agent)
  }
  const user = await agentsIn(reader, path.join(folders.config, "agents"), "user")
  const all = [...project.values(), ...user].toSorted((a, b) => compareText(a.name, b.name))
  return all.map((agent) => itemOf(agent, folders.grounds))
}

async function agentsIn(
  reader: SurveyReader,
  folder: string,
  scope: Agent["scope"],
): Promise<readonly Agent[]> {
  const agents: Agent[] = []
  async function visit(at: string, level: number): Promise<void> {
    const entries = await reader.list(at, SOURCES.agents.source)
    for (const { name, what } of entries.toSorted((a, b) => compareText(a.name, b.name))) {
      if (name.startsWith(".")) continue
      const inside = path.join(at, name)
      const goesDeeper = what === "directory" && level < DEEPEST_FOLDER_LEVELS
      if (goesDeeper) await visit(inside, level + 1)
      const isDefinition = what !== "directory" && name.endsWith(".md")
      const agent = isDefinition ? await readAgent(reader, inside, scope) : undefined
      if (agent !== undefined) agents.push(agent)
    }
  }
  await visit(folder, 0)
  return agents
}

async function readAgent(
  reader: SurveyReader,
  at: string,
  scope: Agent["scope"],
): Promise<Agent | undefined> {
  const { source } = SOURCES.agents
  const file = await reader.read(at, { source, maxBytes: LARGEST_INSTRUCTION_BYTES })
  const text = file === undefined ? undefined : strictText(file.bytes)
  if (file === undefined || text === undefined) return undefined
  const fields: JsonRecord = readHead(text)?.fields ?? {}
  const description = fields["description"]
  if (typeof description !== "string" || description.trim() === "") {
    reader.mark({ path: at, source, outcome: "excluded", detail: "no description" })
    return undefined
  }
  const declaredName = fields["name"]
  const name =
    typeof declaredName === "string"
      ? declaredName
      : path.basename(at).replace(/(?:\.agent)?\.md$/, "")
  const isListed = fields["infer"] !== false && fields["disable-model-invocation"] !== true
  return { at, scope, file, name, description: description.trim(), isListed }
}

function itemOf(agent: Agent, grounds: TrustFolders): HostItem {
  const { realPath } = agent.file
  return {
    path: agent.at,
    ...SOURCES.agents,
    scope: agent.scope,
    load: agent.isListed ? "name-only" : "on-demand",
    kind: "agents",
    trust: belongsTo({ realPath, scope: agent.scope, foundAt: agent.at }, grounds),
    file: agent.file,
    sent: agent.isListed ? `- **${agent.name}**: ${agent.description}` : "",
    frame: agent.isListed ? "\n\n" : "",
    later: agent.file.bytes.toString(),
  }
}
