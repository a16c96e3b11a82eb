import path from "node:path"
import { listDirectory, realPath } from "#ground/base"
import type { AgentType } from "#ground/contract"
import { MOST_FOLDER_ENTRIES } from "../limits.ts"

/** Whose sessions: a person's home, and the variables with which hosts are sent elsewhere. */
export type HostPlaces = {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Hosts whose transcripts are read. */
export type ReadHost = Extract<AgentType, "claude-code" | "codex">

export type TranscriptFile = {
  readonly host: ReadHost
  readonly sessionId: string
  readonly file: string
}

/**
 * The folder in which a host keeps its sessions. It may be a link, as people keep their settings
 * elsewhere; inside it none is followed.
 */
export async function sessionsFolder(
  host: ReadHost | "copilot",
  places: HostPlaces,
): Promise<string | undefined> {
  const [variable, folder, inside] = FOLDERS[host]
  const given = places.environment[variable]
  const base = given === undefined || given === "" ? path.join(places.home, folder) : given
  return realPath(path.join(path.resolve(base), inside)).catch(() => undefined)
}

const FOLDERS = {
  "claude-code": ["CLAUDE_CONFIG_DIR", ".claude", "projects"],
  codex: ["CODEX_HOME", ".codex", "sessions"],
  copilot: ["COPILOT_HOME", ".copilot", "session-state"],
} as const

/** Only what may be the name of a file in them, and of no other. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,199}$/.test(id)
}

/** The names in a folder, of directories or of plain files; nothing of what cannot be listed. */
export async function namesIn(
  folder: string,
  what: "directory" | "regular file",
): Promise<readonly string[]> {
  const listed = await listDirectory(folder, { maxEntries: MOST_FOLDER_ENTRIES })
  if (listed.kind !== "listed") return []
  return listed.entries.filter((it) => it.what === what).map((it) => it.name)
}

/** Every transcript of Claude Code: a folder for each working directory, a file for each session. */
export async function claudeFiles(
  projects: string,
  isWanted: (slug: string) => boolean,
): Promise<readonly TranscriptFile[]> {
  const slugs = (await namesIn(projects, "directory")).filter(isWanted)
  const found: TranscriptFile[] = []
  for (const slug of slugs) {
    const names = await namesIn(path.join(projects, slug), "regular file")
    for (const name of names) {
      const sessionId = /^(?<id>.+)\.jsonl$/.exec(name)?.groups?.["id"] ?? ""
      if (!isSessionId(sessionId)) continue
      found.push({ host: "claude-code", sessionId, file: path.join(projects, slug, name) })
    }
  }
  return found
}

/** Rollouts of Codex, the newest day first: year, month and day are folders. */
export async function* codexFiles(sessions: string): AsyncGenerator<TranscriptFile> {
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

/** The folder below `projects` for a working directory, as the host names it (facts, 1.8). */
export function slugOf(directory: string): string {
  const slug = directory.replace(/[^a-zA-Z0-9]/g, "-")
  if (slug.length <= LONGEST_SLUG_UNITS) return slug
  return `${slug.slice(0, LONGEST_SLUG_UNITS)}-${Math.abs(hashOf(directory)).toString(36)}`
}

const LONGEST_SLUG_UNITS = 200

function hashOf(text: string): number {
  let hash = 0
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0
  return hash
}
