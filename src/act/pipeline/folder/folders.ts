import path from "node:path"
import { z } from "zod"
import {
  compareText,
  ensureDirectory,
  type Log,
  listDirectory,
  readTextBounded,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { type AgentFolder, AgentSlug, type AgentValidate } from "#ground/contract"
import { AgentChanged, AgentExists, AgentTemplateUnknown, AgentUnknown } from "../errors.ts"
import { AGENT_FILE, renamed } from "./agent-file.ts"
import { CONFIG_FILE } from "./config-file.ts"
import { PROMPTS, type ReadAgent, readAgent } from "./read-agent.ts"

const TRUST_FILE_LIMIT_BYTES = 1024 ** 2

/** For all repositories of a user; about 200 bytes each. */
const MOST_APPROVALS = 2_000

const MOST_AGENTS = 200

export type FoldersDeps = {
  /** Folders that contain recipes; `project` wins over `user`, which wins over `shipped`. */
  readonly shipped: string
  readonly user: string
  readonly project: string
  /** `~/.qm/approvals/agents.json` */
  readonly trustFile: string
  readonly log: Log
}

export type FoundAgent = {
  readonly agent: AgentFolder
  readonly prompts: readonly { readonly file: string; readonly text: string }[]
}

export type Folders = ReturnType<typeof createFolders>

/** Folders are read again at each call, so that exactly the trusted bytes run. */
export function createFolders(deps: FoldersDeps) {
  return {
    async list(): Promise<readonly AgentFolder[]> {
      const recipes = await readAll(deps)
      return recipes.map((it) => it.agent)
    },

    async find(slug: string): Promise<FoundAgent> {
      const { agent, prompts } = await findRead(deps, slug)
      const texts = Array.from(prompts, ([file, text]) => ({ file, text }))
      return { agent, prompts: texts }
    },

    async validate(slug?: string): Promise<AgentValidate> {
      const recipes = slug === undefined ? await readAll(deps) : [await findRead(deps, slug)]
      const agents = recipes.map((it) => it.agent)
      return { agents, isValid: agents.every((it) => it.problems.length === 0) }
    },

    /** Copies a shipped recipe into this repository; the user who creates it trusts it. */
    async make(request: {
      readonly slug: string
      readonly template: string
    }): Promise<AgentFolder> {
      await copyTemplate(deps, request)
      const made = await findRead(deps, request.slug)
      return trusted(deps, made.agent)
    },

    async trust(request: {
      readonly slug: string
      readonly digest?: string | undefined
    }): Promise<AgentFolder> {
      const { agent } = await findRead(deps, request.slug)
      const isAsRead = request.digest === undefined || request.digest === agent.digest
      if (!isAsRead) throw AgentChanged({ slug: request.slug })
      return trusted(deps, agent)
    },
  }
}

async function trusted(deps: FoldersDeps, agent: AgentFolder): Promise<AgentFolder> {
  if (agent.isTrusted) return agent
  const approval = { folder: agent.folder, sha256: agent.digest }
  await writeApproval(deps.trustFile, approval, deps.log)
  return { ...agent, isTrusted: true }
}

async function findRead(deps: FoldersDeps, slug: string): Promise<ReadAgent> {
  const places = await findPlaces(deps)
  const location = places.find((it) => it.slug === slug)
  if (location === undefined) throw AgentUnknown({ slug, known: places.map((it) => it.slug) })
  return readPlace(deps, location)
}

async function readAll(deps: FoldersDeps): Promise<readonly ReadAgent[]> {
  const read: ReadAgent[] = []
  // Sequential, because each read opens every file of a folder.
  for (const location of await findPlaces(deps)) read.push(await readPlace(deps, location))
  return read
}

async function readPlace(deps: FoldersDeps, location: AgentLocation): Promise<ReadAgent> {
  const read = await readAgent(location)
  if (location.origin !== "project") return read
  const approvals = await readApprovals(deps.trustFile, deps.log)
  const { folder, digest } = read.agent
  const isTrusted = approvals.some((it) => it.folder === folder && it.sha256 === digest)
  return { ...read, agent: { ...read.agent, isTrusted } }
}

type AgentLocation = {
  readonly slug: string
  readonly origin: AgentFolder["origin"]
  readonly folder: string
  readonly shadows: readonly string[]
}

async function findPlaces(deps: FoldersDeps): Promise<readonly AgentLocation[]> {
  const bySlug = new Map<string, AgentLocation>()
  for (const origin of ["shipped", "user", "project"] as const) {
    for (const slug of await slugsIn(deps[origin], deps.log)) {
      const behind = bySlug.get(slug)
      const shadows = behind === undefined ? [] : [behind.folder, ...behind.shadows]
      bySlug.set(slug, { slug, origin, folder: path.join(deps[origin], slug), shadows })
    }
  }
  return [...bySlug.values()].toSorted((a, b) => compareText(a.slug, b.slug))
}

/** Links are listed here and rejected when read, so that the user sees a problem. */
async function slugsIn(directory: string, log: Log): Promise<readonly string[]> {
  const listing = await listDirectory(directory, { maxEntries: MOST_AGENTS })
  if (listing.kind === "missing") return []
  if (listing.kind !== "listed") {
    log.warn("a folder of recipes cannot be read", { directory, reason: listing.kind })
    return []
  }
  const folders = listing.entries.filter(
    (it) => (it.what === "directory" || it.what === "symbolic link") && !it.name.startsWith("."),
  )
  const named = folders.filter((it) => AgentSlug.safeParse(it.name).success)
  for (const other of folders.filter((it) => !named.includes(it)))
    log.warn("a folder is not a recipe: its name is not a slug", { directory, name: other.name })
  return named.map((it) => it.name)
}

async function copyTemplate(
  deps: FoldersDeps,
  request: { readonly slug: string; readonly template: string },
): Promise<void> {
  const known = await slugsIn(deps.shipped, deps.log)
  const { template, slug } = request
  if (!known.includes(template)) throw AgentTemplateUnknown({ template, known })
  const target = path.join(deps.project, slug)
  if ((await statFile(target)).kind !== "missing") throw AgentExists({ slug })
  const { texts } = await readAgent(shippedPlace(deps, template))
  // Rejects a link in its place, so that the recipe is written inside the repository.
  await ensureDirectory(deps.project, { mode: 0o755 })
  const copied = [...texts].filter(([name]) => name === CONFIG_FILE || name.startsWith(PROMPTS))
  const head = renamed(texts.get(AGENT_FILE) ?? "", nameFrom(slug))
  for (const [name, text] of [...copied, [AGENT_FILE, head] as const]) {
    const file = path.join(target, name)
    await ensureDirectory(path.dirname(file), { mode: 0o755 })
    await writeFileAtomic(file, text, { mode: 0o644 })
  }
}

function shippedPlace(deps: FoldersDeps, slug: string): AgentLocation {
  return { slug, origin: "shipped", folder: path.join(deps.shipped, slug), shadows: [] }
}

function nameFrom(slug: string): string {
  const words = slug.replaceAll("-", " ").trim()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const Approval = z.strictObject({
  folder: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type Approval = z.infer<typeof Approval>

const TrustFile = z.strictObject({
  version: z.literal(1),
  agents: z.array(Approval).max(MOST_APPROVALS),
})

async function readApprovals(file: string, log: Log): Promise<readonly Approval[]> {
  const read = await readTextBounded(file, { maxBytes: TRUST_FILE_LIMIT_BYTES })
  if (read.kind === "missing") return []
  const parsed = TrustFile.safeParse(read.kind === "read" ? jsonOf(read.text) : undefined)
  if (parsed.success) return parsed.data.agents
  log.warn("the approvals file cannot be read and approves nothing", { file })
  return []
}

/**
 * One approval per folder, newest first. If two processes write at once, one approval may be lost:
 * the user is asked again, and nothing untrusted becomes trusted.
 */
async function writeApproval(file: string, approval: Approval, log: Log): Promise<void> {
  const others = (await readApprovals(file, log)).filter((it) => it.folder !== approval.folder)
  const agents = [approval, ...others].slice(0, MOST_APPROVALS)
  await ensureDirectory(path.dirname(file))
  await writeFileAtomic(file, `${JSON.stringify({ version: 1, agents }, null, 2)}\n`)
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
