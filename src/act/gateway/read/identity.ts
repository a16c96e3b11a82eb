import { hash } from "node:crypto"
import { isRecord, type JsonRecord, parseJson } from "#ground/base"
import type { GatewayRequest, WireName } from "#ground/contract"
import { listOf, recordOf, textOf } from "./json.ts"

type Headers = readonly (readonly [name: string, value: string])[]

type Identity = {
  readonly session: string | null
  readonly agent: string | null
  readonly model: string | null
}

export function routeOf(path: string): GatewayRequest["route"] {
  const [route = ""] = path.split("?")
  if (/\/(?:count_tokens|input_tokens)$|:countTokens$/.test(route)) return "count"
  if (route.endsWith("/messages")) return "messages"
  if (/\/responses(?:\/compact)?$/.test(route)) return "responses"
  if (route.endsWith("/chat/completions")) return "chat"
  return /:(?:stream)?[gG]enerateContent$/.test(route) ? "generate" : "other"
}

export function identityOf(it: {
  readonly wire: WireName
  readonly path: string
  readonly headers: Headers
  readonly body: JsonRecord
}): Identity {
  const { session, agent } = speakerOf(it)
  return {
    session: session === "" ? firstWords(it.body) : plainWord(session),
    agent: agent === "" ? null : plainWord(agent),
    model: shortOrNull(textOf(it.body["model"]) || modelInPath(it.path)),
  }
}

export function headerIn(headers: Headers, headerName: string): string {
  return headers.find(([name]) => name.toLowerCase() === headerName)?.[1] ?? ""
}

type Speaker = { readonly session: string; readonly agent: string }

function speakerOf(it: {
  readonly wire: WireName
  readonly headers: Headers
  readonly body: JsonRecord
}): Speaker {
  if (it.wire === "anthropic") return anthropicSpeaker(it.headers, it.body)
  return it.wire === "openai" ? openaiSpeaker(it.headers, it.body) : { session: "", agent: "" }
}

function anthropicSpeaker(headers: Headers, body: JsonRecord): Speaker {
  const user = recordOf(parseJson(textOf(recordOf(body["metadata"])["user_id"])))
  const session = headerIn(headers, "x-claude-code-session-id") || textOf(user["session_id"])
  const named = headerIn(headers, "x-claude-code-agent-id")
  const [billing] = listOf(body["system"])
  const isSubagent = textOf(recordOf(billing)["text"]).includes("cc_is_subagent=true")
  return { session, agent: named || (isSubagent ? "sub-agent" : "") }
}

/** A thread id that differs from the session is a sub-agent. */
function openaiSpeaker(headers: Headers, body: JsonRecord): Speaker {
  const metadata = recordOf(body["client_metadata"])
  const thread = headerIn(headers, "thread-id") || textOf(metadata["thread_id"])
  const session =
    headerIn(headers, "session-id") ||
    textOf(metadata["session_id"]) ||
    thread ||
    textOf(body["prompt_cache_key"])
  return { session, agent: thread === session ? "" : thread }
}

/** Ids are used in rows and URLs; anything else is hashed. */
function plainWord(word: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(word) ? word : hashed(word)
}

function hashed(text: string): string {
  return `h-${hash("sha256", text).slice(0, 32)}`
}

/** Hosts without a session id are identified by their first user message. */
function firstWords(body: JsonRecord): string | null {
  for (const key of ["messages", "input", "contents"]) {
    const turns = typeof body[key] === "string" ? [body[key]] : listOf(body[key])
    const first = turns.find((it) => typeof it === "string" || isOfUser(it))
    if (first !== undefined) return hashed(wordsIn(first, 0))
  }
  return null
}

function isOfUser(turn: unknown): boolean {
  return isRecord(turn) && turn["role"] === "user"
}

/** Texts only: markers and settings change from request to request. */
function wordsIn(value: unknown, depth: number): string {
  if (typeof value === "string") return value
  if (depth > 4) return ""
  if (Array.isArray(value)) return value.map((it) => wordsIn(it, depth + 1)).join("\n")
  const record = recordOf(value)
  return ["content", "parts", "text"].map((key) => wordsIn(record[key] ?? "", depth + 1)).join("")
}

function modelInPath(path: string): string {
  return /\/models\/([^/:?]+)/.exec(path)?.[1] ?? ""
}

function shortOrNull(model: string): string | null {
  return model === "" ? null : model.slice(0, 200)
}
