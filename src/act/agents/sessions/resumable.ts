import { type JsonlRecord, statFile, streamJsonl } from "#ground/base"
import type { AgentType } from "#ground/contract"
import { isRecord } from "../wire/text.ts"
import { RESUMABLE_SEARCH_BYTES, SMALLEST_RESUMABLE_BYTES } from "./limits.ts"
import { findTranscript } from "./readers/find.ts"
import type { HostPlaces } from "./readers/places.ts"

/**
 * Whether a host can go on with a session: its transcript is there and holds an answer. Whatever
 * goes wrong means no; a fresh session with the context restored is never wrong. The synthetic agent
 * keeps nothing and plays on under any id.
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

/** The same for a file: over 500 bytes, with an answer within its first 8 MB. */
export async function checkTranscriptResumable(host: KeepingHost, file: string): Promise<boolean> {
  try {
    const found = await statFile(file)
    const isLarge = found.kind === "found" && found.stat.sizeBytes > SMALLEST_RESUMABLE_BYTES
    return isLarge && (await hasAnswer(file, ANSWERS[host]))
  } catch {
    return false
  }
}

async function hasAnswer(file: string, isAnswer: (line: JsonlRecord) => boolean): Promise<boolean> {
  for await (const item of streamJsonl(file, { maxBytes: RESUMABLE_SEARCH_BYTES })) {
    if (item.kind === "record" && isAnswer(item.record)) return true
  }
  return false
}

const ANSWERS: Readonly<Record<KeepingHost, (line: JsonlRecord) => boolean>> = {
  "claude-code": (line) => line["type"] === "assistant" && isRecord(line["message"]),
  codex: (line) => line["type"] === "response_item" && isCodexAnswer(line["payload"]),
  copilot: (line) => line["type"] === "assistant.message",
}

/** A word of the model or a call it made; what users and developers said is there from the start. */
function isCodexAnswer(payload: unknown): boolean {
  if (!isRecord(payload)) return false
  const isWord = payload["type"] === "message" && payload["role"] === "assistant"
  return isWord || payload["type"] === "function_call" || payload["type"] === "custom_tool_call"
}
