import { type JsonRecord } from "#ground/base"
import { splitFrontmatter } from "../files/frontmatter.ts"
import type { HostItem, Scope } from "../host.ts"
import type { SurveyReader } from "../survey-reader.ts"
import type { ClaudeContext } from "./instructions/instructions.ts"
import { whyMemoryOff } from "./instructions/memory.ts"
import { splitList } from "./instructions/transform.ts"
import { LONGEST_NAME_UNITS } from "./limits.ts"
import { type ListedFile, listedFolders, markdownBelow, trustOfListed } from "./listed-folders.ts"
import { SOURCES } from "./sources.ts"

type Agent = ListedFile & {
  readonly name: string
  readonly description: string
  readonly fields: JsonRecord
  readonly body: string
}

export async function listAgents(
  context: ClaudeContext,
  reader: SurveyReader,
): Promise<readonly HostItem[]> {
  const folders = await listedFolders("agents", context, reader)
  const files: ListedFile[] = []
  for (const folder of folders) {
    files.push(...(await markdownBelow(folder, SOURCES.agents.source, reader)))
  }
  const agents = onceEach(files).flatMap((it) => readAgent(it, reader) ?? [])
  const chosen = strongest(agents, reader)
  return chosen.toSorted((a, b) => a.name.localeCompare(b.name)).map((it) => toFound(it, context))
}

function onceEach(files: readonly ListedFile[]): readonly ListedFile[] {
  const seenPaths = new Set<string>()
  return files.filter(({ file }) => {
    const isNew = !seenPaths.has(file.realPath)
    seenPaths.add(file.realPath)
    return isNew
  })
}

function readAgent(listed: ListedFile, reader: SurveyReader): Agent | undefined {
  const { fields, body } = splitFrontmatter(listed.file.bytes.toString())
  const { name, description } = fields
  const hasName = typeof name === "string" && name !== "" && name.length <= LONGEST_NAME_UNITS
  const isNamed = hasName && !name.startsWith("-") && !name.normalize("NFKC").includes(":")
  if (!isNamed || typeof description !== "string" || description === "") {
    reader.mark({
      path: listed.path,
      source: SOURCES.agents.source,
      outcome: "excluded",
      detail: "no valid name or description",
    })
    return undefined
  }
  return { ...listed, name, description: description.replaceAll("\\n", "\n"), fields, body }
}

/** Managed beats project, project beats user; with equal rank the nearest wins. */
const RANKS: Readonly<Record<Scope, number>> = {
  memory: 0,
  user: 1,
  local: 2,
  project: 2,
  managed: 3,
}

function strongest(agents: readonly Agent[], reader: SurveyReader): readonly Agent[] {
  const byName = new Map<string, Agent>()
  for (const agent of agents) {
    const held = byName.get(agent.name)
    const isStronger = held === undefined || rankOf(agent) > rankOf(held)
    if (isStronger) byName.set(agent.name, agent)
    const beaten = isStronger ? held : agent
    if (beaten === undefined) continue
    reader.mark({
      path: beaten.path,
      source: SOURCES.agents.source,
      outcome: "excluded",
      detail: `overridden by another agent named ${agent.name}`,
    })
  }
  return [...byName.values()]
}

function rankOf({ folder }: Agent): number {
  return RANKS[folder.scope]
}

function toFound(agent: Agent, context: ClaudeContext): HostItem {
  const { scope } = agent.folder
  return {
    path: agent.path,
    source: SOURCES.agents.source,
    priority: SOURCES.agents.priority,
    scope,
    load: "name-only",
    reason: SOURCES.agents.reason,
    kind: "agents",
    trust: trustOfListed(agent, context),
    file: agent.file,
    sent: `- ${agent.name}: ${agent.description} (Tools: ${toolWords(agent.fields, context)})`,
    frame: "",
    later: agent.body.trim(),
  }
}

function toolWords(fields: JsonRecord, context: ClaudeContext): string {
  const named = toolNames(fields["tools"])
  const tools = named.length === 0 ? [] : [...new Set([...named, ...memoryTools(fields, context)])]
  const without = toolNames(fields["disallowedTools"])
  if (tools.length > 0) {
    const left = tools.filter((it) => !without.includes(it))
    return left.length === 0 ? "None" : left.join(", ")
  }
  return without.length === 0 ? "All tools" : `All tools except ${without.join(", ")}`
}

/** A star means all, like an empty list. */
function toolNames(value: unknown): readonly string[] {
  const names = splitList(value)
  return names.includes("*") ? [] : names
}

/** An agent with memory may read and write, whatever tools it lists. */
function memoryTools(fields: JsonRecord, { place, settings }: ClaudeContext): readonly string[] {
  const hasMemory = ["user", "project", "local"].some((it) => it === fields["memory"])
  return hasMemory && whyMemoryOff(place, settings) === undefined ? ["Write", "Edit", "Read"] : []
}
