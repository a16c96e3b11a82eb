import { type JsonlRecord, streamJsonl } from "#ground/base"
import { isRecord, oneLine, textField } from "../../wire/text.ts"
import { LISTED_HEAD_BYTES } from "../limits.ts"
import type { TranscriptFile } from "./places.ts"

export type Glance = { readonly title: string; readonly cwd: string | null }

type Seen = { cwd: string | null; given: string; proposed: string; said: string }

/** What stands in a list: from the beginning of a transcript, which is enough for both. */
export async function lookAt(
  { host, file, sessionId }: TranscriptFile,
  redact: (text: string) => string,
): Promise<Glance> {
  const seen: Seen = { cwd: null, given: "", proposed: "", said: "" }
  const note = host === "claude-code" ? noteClaude : noteCodex
  try {
    for await (const item of streamJsonl(file, { maxBytes: LISTED_HEAD_BYTES })) {
      if (item.kind === "record") note(seen, item.record)
    }
  } catch {
    // A list shows what can be seen; reading it will say what is wrong.
  }
  const title = [seen.given, seen.proposed, seen.said].find((it) => it !== "")
  return { title: oneLine(redact(title ?? sessionId)), cwd: seen.cwd }
}

/** A person's title before the host's own, the host's before the first words. */
function noteClaude(seen: Seen, line: JsonlRecord): void {
  seen.cwd ??= textField(line, "cwd") ?? null
  switch (line["type"]) {
    case "custom-title":
      seen.given = textField(line, "customTitle", "title") ?? seen.given
      break
    case "ai-title":
      seen.proposed = textField(line, "aiTitle", "title") ?? seen.proposed
      break
    case "summary":
      seen.proposed = textField(line, "summary") ?? seen.proposed
      break
    case "user":
      if (seen.said === "" && isPrompt(line)) seen.said = textOf(line["message"])
      break
    default:
  }
}

/** A turn of a person: not what the host put there for itself, and no command of its own. */
export function isPrompt(line: JsonlRecord): boolean {
  const isOwn = line["isMeta"] === true || line["isCompactSummary"] === true
  const isInner = line["isSidechain"] === true || isFromHost(line)
  const text = textOf(line["message"])
  return !isOwn && !isInner && text !== "" && !HOST_WORDS.test(text)
}

/** A turn that the host began by itself, such as the word of a task that ended. */
export function isFromHost(line: JsonlRecord): boolean {
  const { origin } = line
  return isRecord(origin) && origin["kind"] !== "human"
}

/** Tags in which the host puts its own commands and their output. */
const HOST_WORDS =
  /^\s*<(?:command-(?:name|message|args)|local-command-\w+|system-reminder|task-notification|bash-\w+)>/

/** The text of a message: a string, or blocks of which some are texts. */
export function textOf(message: unknown): string {
  const content = isRecord(message) ? message["content"] : undefined
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.flatMap((it: unknown) => textField(it, "text") ?? []).join("\n")
}

function noteCodex(seen: Seen, line: JsonlRecord): void {
  const payload = isRecord(line["payload"]) ? line["payload"] : {}
  seen.cwd ??= textField(payload, "cwd") ?? null
  if (seen.said === "" && line["type"] === "event_msg") seen.said = userText(payload)
}

/** What a person said, in the form of now and in that of before. */
export function userText(payload: Readonly<Record<string, unknown>>): string {
  if (payload["type"] === "user_message") return textField(payload, "message") ?? ""
  const item = payload["item"]
  const isUser = payload["type"] === "item_completed" && isRecord(item)
  return isUser && item["type"] === "UserMessage" ? textOf(item) : ""
}
