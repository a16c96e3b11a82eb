import path from "node:path"
import { isRecord, type JsonlRecord, statFile, streamJsonl } from "#ground/base"
import type { AgentType } from "#ground/contract"
import {
  codexFiles,
  type HostHome,
  isSessionId,
  namesIn,
  sessionsFolder,
  type TranscriptFile,
} from "#see/hosts"

export async function findTranscript(
  type: AgentType,
  sessionId: string,
  places: HostHome,
): Promise<string | undefined> {
  if (!isSessionId(sessionId) || !isKeepingHost(type)) return undefined
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

export type ReadHost = Extract<AgentType, "claude-code" | "codex">
export type ReadableTranscript = TranscriptFile<ReadHost>

/**
 * Whether the host has the session's transcript with a response in it. Any failure means no: a new
 * session with restored context is always correct. The synthetic agent resumes any id; an agent
 * behind the Agent Client Protocol says itself that it has no such session.
 */
export async function checkResumable(
  session: { readonly type: AgentType; readonly sessionId: string },
  places: HostHome,
): Promise<boolean> {
  const { type, sessionId } = session
  if (!isKeepingHost(type)) return sessionId !== ""
  try {
    const file = await findTranscript(type, sessionId, places)
    return file !== undefined && (await checkTranscriptResumable(type, file))
  } catch {
    return false
  }
}

type KeepingHost = keyof typeof ANSWERS

function isKeepingHost(type: AgentType): type is KeepingHost {
  return Object.hasOwn(ANSWERS, type)
}

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

const ANSWERS = {
  "claude-code": (line: JsonlRecord) => line["type"] === "assistant" && isRecord(line["message"]),
  codex: (line: JsonlRecord) => line["type"] === "response_item" && isCodexAnswer(line["payload"]),
  copilot: (line: JsonlRecord) => line["type"] === "assistant.message",
} as const

/** A text or call of the model; prompts are there from the start. */
function isCodexAnswer(payload: unknown): boolean {
  if (!isRecord(payload)) return false
  const isWord = payload["type"] === "message" && payload["role"] === "assistant"
  return isWord || payload["type"] === "function_call" || payload["type"] === "custom_tool_call"
}
