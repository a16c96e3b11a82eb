import type { AgentFolder } from "#ground/contract"
import { AGENT_FILE, readAgentFile } from "./agent-file.ts"
import { CONFIG_FILE, readConfigFile } from "./config-file.ts"
import { inOrder } from "./problems.ts"
import { readFolder } from "./read-folder.ts"

export const PROMPTS = "prompts/"

export type ReadAgent = {
  readonly agent: AgentFolder
  readonly texts: ReadonlyMap<string, string>
  /** By their names in prompts/. */
  readonly prompts: ReadonlyMap<string, string>
}

/** One folder, read once: its head, its stages, its prompts, and what is wrong with them. */
export async function readAgent(place: {
  readonly slug: string
  readonly origin: AgentFolder["origin"]
  readonly folder: string
  readonly shadows: readonly string[]
}): Promise<ReadAgent> {
  const { slug, origin, folder } = place
  const { texts, digest, problems: broken } = await readFolder(folder)
  const prompts = new Map(
    [...texts]
      .filter(([name]) => name.startsWith(PROMPTS))
      .map(([name, text]) => [name.slice(PROMPTS.length), text]),
  )
  const { problems: inHead, ...head } = readAgentFile(texts.get(AGENT_FILE))
  const { config, problems: inConfig } = readConfigFile(
    texts.get(CONFIG_FILE),
    prompts,
    head.sources,
  )
  const problems = inOrder([...broken, ...inHead, ...inConfig])
  const agent = {
    slug,
    origin,
    folder,
    digest,
    problems,
    name: head.name ?? slug,
    description: head.description ?? "",
    // A person's own folder and what came with the program are theirs; a repository is not.
    isTrusted: origin !== "project",
    sources: head.sources ?? [],
    tools: head.tools ?? [],
    config: problems.length === 0 ? config : null,
    shadows: [...place.shadows],
  }
  return { agent, texts, prompts }
}
