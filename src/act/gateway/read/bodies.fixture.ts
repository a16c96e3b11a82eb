import type { WireItem, WireName } from "#ground/contract"
import type { ReadAnswer, ReadQuestion } from "./reader.ts"

const NOWHERE = {
  host: undefined,
  workingDirectory: "/nonexistent/project",
  home: "/nonexistent/home",
  environment: {},
} as const

const PATHS: Readonly<Record<WireName, string>> = {
  anthropic: "/v1/messages?beta=true",
  openai: "/v1/responses",
  gemini: "/v1beta/models/gemini-9:streamGenerateContent?alt=sse",
}

type QuestionFields = Partial<Omit<ReadQuestion, "body">> & { readonly said?: string }

export function ask(body: unknown, { said = "", ...overrides }: QuestionFields = {}): ReadQuestion {
  const { wire = "anthropic" } = overrides
  return {
    wire,
    path: PATHS[wire],
    headers: [],
    body: body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)),
    answer: { headers: [], body: [Buffer.from(said)], isWhole: true },
    folded: [],
    place: NOWHERE,
    encoding: wire === "anthropic" ? "claude" : "o200k",
    wantsTexts: false,
    ...overrides,
  }
}

export function named(items: readonly WireItem[]): readonly string[] {
  return items.map((it) => `${it.kind} ${it.name}`)
}

export function bytesOf({ items }: ReadAnswer): number {
  return items.reduce((total, it) => total + it.bytes, 0)
}

const OPENING =
  "<system-reminder>\nCodebase and user instructions are shown below. Be sure to adhere to these " +
  "instructions. IMPORTANT: These instructions OVERRIDE any default behavior and you MUST follow " +
  "them exactly as written.\n\n"

/** As Claude Code sends its files. */
export function instructionBlock(...entries: readonly string[]): string {
  return `${OPENING}${entries.join("\n\n")}\n</system-reminder>`
}

export function entry(file: string, text: string): string {
  return `Contents of ${file} (project instructions, checked into the codebase):\n\n${text}`
}

export function user(...content: readonly unknown[]) {
  return { role: "user", content: content.map((it) => (typeof it === "string" ? text(it) : it)) }
}

export function assistant(...content: readonly unknown[]) {
  return { ...user(...content), role: "assistant" }
}

export function text(words: string) {
  return { type: "text", text: words }
}

export function call(id: string, name: string, input: object = {}) {
  return { type: "tool_use", id, name, input }
}

export function result(id: string, content: unknown) {
  return { type: "tool_result", tool_use_id: id, content }
}

export function events(...frames: readonly object[]): string {
  return frames.map((it) => `data: ${JSON.stringify(it)}\n\n`).join("")
}
