import path from "node:path"
import { type FileStat, listDirectory, readTextBounded, realPath } from "#ground/base"
import { TRANSCRIPT_HOSTS, type TranscriptHost } from "#ground/contract"
import { opencodeFolder, opencodeSessions } from "./opencode.ts"

export type HostHome = {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type TranscriptFile<Host extends TranscriptHost = TranscriptHost> = {
  readonly host: Host
  readonly sessionId: string
  readonly file: string
}

/** A transcript of a sub-agent belongs to the session that started it. */
export type SessionFile = TranscriptFile & {
  readonly subAgent: string | null
  /** If it is beside the transcript instead of in it. */
  readonly directory?: string | undefined
  /** opencode keeps its sessions in a database; `file` then names the database and the session. */
  readonly rows?: {
    readonly database: string
    readonly id: string
    readonly agent: string
    readonly stat: FileStat
  }
}

const FOLDERS = {
  "claude-code": ["CLAUDE_CONFIG_DIR", ".claude", "projects"],
  codex: ["CODEX_HOME", ".codex", "sessions"],
  copilot: ["COPILOT_HOME", ".copilot", "session-state"],
  gemini: ["GEMINI_HOME", ".gemini", "tmp"],
} as const satisfies Readonly<
  Record<Exclude<TranscriptHost, "opencode">, readonly [string, string, string]>
>

/** The folder may be a link, since users relocate settings; inside it links are not followed. */
export async function sessionsFolder(
  host: TranscriptHost,
  places: HostHome,
): Promise<string | undefined> {
  if (host === "opencode") return opencodeFolder(places)
  const [variable, folder, inside] = FOLDERS[host]
  const override = places.environment[variable]
  const base = override === undefined || override === "" ? path.join(places.home, folder) : override
  return realPath(path.join(path.resolve(base), inside)).catch(() => undefined)
}

/** All transcripts of the hosts whose format we read, in no particular order. */
export async function* findTranscripts(places: HostHome): AsyncGenerator<SessionFile> {
  for (const host of TRANSCRIPT_HOSTS) {
    const folder = await sessionsFolder(host, places)
    if (folder !== undefined) yield* FINDERS[host](folder)
  }
}

const FINDERS: Readonly<Record<TranscriptHost, (folder: string) => AsyncGenerator<SessionFile>>> = {
  async *"claude-code"(projects) {
    for (const file of await claudeFiles(projects, () => true)) {
      yield { ...file, subAgent: null }
      yield* subAgentsOf(file)
    }
  },
  async *codex(sessions) {
    for await (const it of codexFiles(sessions)) yield { ...it, subAgent: null }
  },
  async *copilot(sessions) {
    for (const sessionId of (await namesIn(sessions, "directory")).filter(isSessionId)) {
      const folder = path.join(sessions, sessionId)
      const names = await namesIn(folder, "regular file")
      if (!names.includes("events.jsonl")) continue
      const file = path.join(folder, "events.jsonl")
      yield { host: "copilot", sessionId, file, subAgent: null }
    }
  },
  async *gemini(projects) {
    for (const project of await namesIn(projects, "directory")) {
      const folder = path.join(projects, project, "chats")
      const directory = await projectRoot(path.join(projects, project))
      for (const name of await namesIn(folder, "regular file")) {
        const sessionId = CHAT.exec(name)?.groups?.["id"]
        if (sessionId === undefined) continue
        const file = path.join(folder, name)
        yield { host: "gemini", sessionId, file, subAgent: null, directory }
      }
    }
  },
  async *opencode(folder) {
    yield* opencodeSessions(folder, await namesIn(folder, "regular file"))
  },
}

/** The time in the name is not part of the id. */
const CHAT = /^session-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-)?(?<id>[A-Za-z0-9-]{1,200})\.jsonl$/

const MAX_PATH_BYTES = 4_096

/** Gemini names its project folders after the directory and writes the whole path into a file. */
async function projectRoot(folder: string): Promise<string | undefined> {
  const read = await readTextBounded(path.join(folder, ".project_root"), {
    maxBytes: MAX_PATH_BYTES,
  })
  const directory = read.kind === "read" ? read.text.trim() : ""
  return path.isAbsolute(directory) ? directory : undefined
}

async function* subAgentsOf({ host, sessionId, file }: TranscriptFile) {
  const folder = path.join(path.dirname(file), sessionId, "subagents")
  for (const name of await namesIn(folder, "regular file")) {
    const subAgent = /^agent-(?<id>[A-Za-z0-9_-]{1,100})\.jsonl$/.exec(name)?.groups?.["id"]
    if (subAgent !== undefined) yield { host, sessionId, file: path.join(folder, name), subAgent }
  }
}

export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,199}$/.test(id)
}

export async function namesIn(
  folder: string,
  what: "directory" | "regular file",
): Promise<readonly string[]> {
  const listed = await listDirectory(folder, { maxEntries: 20_000 })
  if (listed.kind !== "listed") return []
  return listed.entries.filter((it) => it.what === what).map((it) => it.name)
}

export async function claudeFiles(
  projects: string,
  matches: (slug: string) => boolean,
): Promise<readonly TranscriptFile<"claude-code">[]> {
  const slugs = (await namesIn(projects, "directory")).filter(matches)
  const files: TranscriptFile<"claude-code">[] = []
  for (const slug of slugs) {
    const names = await namesIn(path.join(projects, slug), "regular file")
    for (const name of names) {
      const sessionId = /^(?<id>.+)\.jsonl$/.exec(name)?.groups?.["id"] ?? ""
      if (!isSessionId(sessionId)) continue
      files.push({ host: "claude-code", sessionId, file: path.join(projects, slug, name) })
    }
  }
  return files
}

export async function* codexFiles(sessions: string): AsyncGenerator<TranscriptFile<"codex">> {
  for (const day of await foldersBelow(sessions, 3)) {
    const names = await namesIn(day, "regular file")
    for (const name of names.toReversed()) {
      const sessionId = ROLLOUT.exec(name)?.groups?.["id"]
      if (sessionId !== undefined) yield { host: "codex", sessionId, file: path.join(day, name) }
    }
  }
}

const ROLLOUT = /^rollout-[\dT-]{19}-(?<id>[A-Za-z0-9-]{1,200})\.jsonl$/

async function foldersBelow(folder: string, levels: number): Promise<readonly string[]> {
  if (levels === 0) return [folder]
  const names = (await namesIn(folder, "directory")).filter((it) => /^\d{2,4}$/.test(it))
  const below: string[] = []
  for (const name of names.toReversed()) {
    below.push(...(await foldersBelow(path.join(folder, name), levels - 1)))
  }
  return below
}

const LONGEST_SLUG_UNITS = 200

/** The folder below `projects` for a working directory, as Claude Code names it (facts, 1.8). */
export function claudeProjectSlug(folder: string): string {
  const plain = folder.replace(/[^a-zA-Z0-9]/g, "-")
  if (plain.length <= LONGEST_SLUG_UNITS) return plain
  return `${plain.slice(0, LONGEST_SLUG_UNITS)}-${Math.abs(hashOf(folder)).toString(36)}`
}

/** Java's 32-bit string hash; the host uses it to distinguish long folder names. */
function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0
  return hash
}
