import path from "node:path"
import {
  isRecord,
  type JsonlRecord,
  listDirectory,
  realPath,
  statFile,
  streamJsonl,
} from "#ground/base"
import type { AgentType } from "#ground/contract"

export async function findTranscript(
  type: AgentType,
  sessionId: string,
  places: HostPlaces,
): Promise<string | undefined> {
  if (!isSessionId(sessionId) || type === "synthetic") return undefined
  const folder = await sessionsFolder(type, places)
  if (folder === undefined) return undefined
  switch (type) {
    case "claude-code":
      return inProjects(folder, sessionId)
    case "codex":
      return inDays(folder, sessionId)
    case "copilot":
      return existingFile(path.join(folder, sessionId, "events.jsonl"))
    default:
      return type satisfies never
  }
}

async function inProjects(projects: string, sessionId: string): Promise<string | undefined> {
  for (const slug of await namesIn(projects, "directory")) {
    const file = await existingFile(path.join(projects, slug, `${sessionId}.jsonl`))
    if (file !== undefined) return file
  }
  return undefined
}

async function inDays(sessions: string, sessionId: string): Promise<string | undefined> {
  for await (const it of codexFiles(sessions)) if (it.sessionId === sessionId) return it.file
  return undefined
}

async function existingFile(file: string): Promise<string | undefined> {
  const stat = await statFile(file)
  return stat.kind === "found" && stat.what === "regular file" ? file : undefined
}

export type HostPlaces = {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type ReadHost = Extract<AgentType, "claude-code" | "codex">

export type TranscriptFile = {
  readonly host: ReadHost
  readonly sessionId: string
  readonly file: string
}

/** The folder may be a link, since users relocate settings; inside it links are not followed. */
export async function sessionsFolder(
  host: ReadHost | "copilot",
  places: HostPlaces,
): Promise<string | undefined> {
  const [variable, folder, inside] = FOLDERS[host]
  const override = places.environment[variable]
  const base = override === undefined || override === "" ? path.join(places.home, folder) : override
  return realPath(path.join(path.resolve(base), inside)).catch(() => undefined)
}

const FOLDERS = {
  "claude-code": ["CLAUDE_CONFIG_DIR", ".claude", "projects"],
  codex: ["CODEX_HOME", ".codex", "sessions"],
  copilot: ["COPILOT_HOME", ".copilot", "session-state"],
} as const

function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9-]{0,199}$/.test(id)
}

async function namesIn(
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
): Promise<readonly TranscriptFile[]> {
  const slugs = (await namesIn(projects, "directory")).filter(matches)
  const files: TranscriptFile[] = []
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

/**
 * Whether the host has the session's transcript with a response in it. Any failure means no: a new
 * session with restored context is always correct. The synthetic agent resumes any id.
 */
export async function checkResumable(
  session: { readonly type: AgentType; readonly sessionId: string },
  places: HostPlaces,
): Promise<boolean> {
  const { type, sessionId } = session
  if (type === "synthetic") return sessionId !== ""
  try {
    const file = await findTranscript(type, sessionId, places)
    return file !== undefined && (await checkTranscriptResumable(type, file))
  } catch {
    return false
  }
}

type KeepingHost = Exclude<AgentType, "synthetic">

/** Requires over 500 bytes and a response within the first 8 MB. */
export async function checkTranscriptResumable(host: KeepingHost, file: string): Promise<boolean> {
  try {
    const stat = await statFile(file)
    const isLarge = stat.kind === "found" && stat.stat.sizeBytes > 500
    return isLarge && (await hasAnswer(file, ANSWERS[host]))
  } catch {
    return false
  }
}

async function hasAnswer(file: string, isAnswer: (line: JsonlRecord) => boolean): Promise<boolean> {
  for await (const item of streamJsonl(file, { maxBytes: 8 * 1024 * 1024 })) {
    if (item.kind === "record" && isAnswer(item.record)) return true
  }
  return false
}

const ANSWERS: Readonly<Record<KeepingHost, (line: JsonlRecord) => boolean>> = {
  "claude-code": (line) => line["type"] === "assistant" && isRecord(line["message"]),
  codex: (line) => line["type"] === "response_item" && isCodexAnswer(line["payload"]),
  copilot: (line) => line["type"] === "assistant.message",
}

/** A text or call of the model; prompts are there from the start. */
function isCodexAnswer(payload: unknown): boolean {
  if (!isRecord(payload)) return false
  const isWord = payload["type"] === "message" && payload["role"] === "assistant"
  return isWord || payload["type"] === "function_call" || payload["type"] === "custom_tool_call"
}
