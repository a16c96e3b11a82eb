import path from "node:path"
import { statFile } from "#ground/base"
import type { AgentType } from "#ground/contract"
import { codexFiles, type HostPlaces, isSessionId, namesIn, sessionsFolder } from "./places.ts"

/** The transcript of a session by the host's id, wherever it was started; undefined when there is none. */
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
      return isFile(path.join(folder, sessionId, "events.jsonl"))
    default:
      return type satisfies never
  }
}

async function inProjects(projects: string, sessionId: string): Promise<string | undefined> {
  for (const slug of await namesIn(projects, "directory")) {
    const found = await isFile(path.join(projects, slug, `${sessionId}.jsonl`))
    if (found !== undefined) return found
  }
  return undefined
}

async function inDays(sessions: string, sessionId: string): Promise<string | undefined> {
  for await (const it of codexFiles(sessions)) if (it.sessionId === sessionId) return it.file
  return undefined
}

async function isFile(file: string): Promise<string | undefined> {
  const found = await statFile(file)
  return found.kind === "found" && found.what === "regular file" ? file : undefined
}
