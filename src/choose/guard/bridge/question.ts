import { LARGEST_PACKAGE_BYTES, LONGEST_AGENT_TYPE_UNITS, LONGEST_PROMPT_BYTES } from "./limits.ts"

/** What the index daemon is asked. `prepare` says that such a question is about to come. */
export type DaemonQuestion = {
  readonly kind: "package" | "prepare"
  readonly session: string
  readonly agentType: string
  readonly prompt: string
}

export function writeQuestion(question: DaemonQuestion): string {
  return JSON.stringify({ v: 1, ...question })
}

/** Undefined for what is no question of ours. */
export function readQuestion(line: string): DaemonQuestion | undefined {
  const { v, kind, session, agentType, prompt } = fieldsOf(line)
  if (v !== 1 || (kind !== "package" && kind !== "prepare")) return undefined
  if (typeof session !== "string" || typeof agentType !== "string") return undefined
  if (typeof prompt !== "string" || prompt.trim() === "") return undefined
  const isShort = agentType.length <= LONGEST_AGENT_TYPE_UNITS
  return isShort ? { kind, session, agentType, prompt: cutPrompt(prompt) } : undefined
}

export function writeAnswer(text: string | null): string {
  return JSON.stringify({ v: 1, text })
}

/** The text of a package; undefined when there is none, or when it is no answer of ours. */
export function readAnswer(line: string | undefined): string | undefined {
  const { v, text } = fieldsOf(line ?? "")
  if (v !== 1 || typeof text !== "string" || text.trim() === "") return undefined
  return Buffer.byteLength(text) <= LARGEST_PACKAGE_BYTES ? text : undefined
}

export function cutPrompt(prompt: string): string {
  return cutTo(prompt, LONGEST_PROMPT_BYTES)
}

/** At the end of a line, so that no path is named by half. */
export function cutPackage(text: string): string {
  const head = cutTo(text, LARGEST_PACKAGE_BYTES)
  const end = head.lastIndexOf("\n")
  return head === text || end <= 0 ? head : head.slice(0, end)
}

function cutTo(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  // Decoding replaces the half of a sign at the end, which is then taken off.
  return bytes.toString("utf8", 0, maxBytes).replace(/\uFFFD$/, "")
}

/** The fields of a JSON object, or none. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    return isObject ? Object.fromEntries(Object.entries(value)) : {}
  } catch {
    return {}
  }
}
