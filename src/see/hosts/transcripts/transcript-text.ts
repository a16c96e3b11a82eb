import { isRecord, type JsonRecord } from "#ground/base"

/** A prompt of the user in a line of Claude Code, not a text of the host or of a sub-agent. */
export function isPrompt(line: JsonRecord): boolean {
  const isOwn = line["isMeta"] === true || line["isCompactSummary"] === true
  const isInner = line["isSidechain"] === true || isFromHost(line)
  const text = textOf(line["message"])
  return !isOwn && !isInner && text !== "" && !HOST_WORDS.test(text)
}

export function isFromHost(line: JsonRecord): boolean {
  const { origin } = line
  return isRecord(origin) && origin["kind"] !== "human"
}

const HOST_WORDS =
  /^\s*<(?:command-(?:name|message|args)|local-command-\w+|system-reminder|task-notification|bash-\w+)>/

/** The texts in `content` of a message, one per line. */
export function textOf(message: unknown): string {
  const content = isRecord(message) ? message["content"] : undefined
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.flatMap((it: unknown) => stringField(it, "text") ?? []).join("\n")
}

/** The user's text in an event of Codex; empty for other events. */
export function userText(payload: JsonRecord): string {
  if (payload["type"] === "user_message") return stringField(payload, "message") ?? ""
  const item = payload["item"]
  const isUser = payload["type"] === "item_completed" && isRecord(item)
  return isUser && item["type"] === "UserMessage" ? textOf(item) : ""
}

/** The user's own words: Quartermaster puts `<context>` blocks in front of prompts. */
export function withoutInjectedContext(text: string): string {
  let rest = text.trimStart()
  while (rest.startsWith("<context label=")) {
    const end = rest.indexOf("\n</context>")
    if (end === -1) return rest
    rest = rest.slice(end + "\n</context>".length).trimStart()
  }
  return rest
}

function stringField(value: unknown, name: string): string | undefined {
  const field = isRecord(value) ? value[name] : undefined
  return typeof field === "string" && field !== "" ? field : undefined
}

/** Milliseconds since 1970 of a line of a transcript. */
export function timeOfLine({ timestamp }: JsonRecord): number | undefined {
  const at = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN
  return Number.isSafeInteger(at) && at > 0 ? at : undefined
}
