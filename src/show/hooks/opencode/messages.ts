import { isRecord, type JsonRecord } from "#ground/base"

/** The messages of a request as opencode 1.18.33 hands them to `experimental.chat.messages.transform`. */
export type OpencodeMessage = { readonly info: JsonRecord; readonly parts: readonly JsonRecord[] }

export type ToolPart = {
  readonly tool: string
  readonly input: JsonRecord
  /** The text that the model gets. */
  readonly output: string
  readonly isDone: boolean
}

export function toolPart(part: JsonRecord): ToolPart | undefined {
  const { type, tool } = part
  if (type !== "tool" || typeof tool !== "string") return undefined
  const state = isRecord(part["state"]) ? part["state"] : {}
  const output = textOf(state["output"]) || textOf(state["error"])
  const input = isRecord(state["input"]) ? state["input"] : {}
  return { tool, input, output, isDone: state["status"] === "completed" }
}

export function isUser({ info }: OpencodeMessage): boolean {
  return info["role"] === "user"
}

/** Facts of the messages that a compaction replaces by its summary. */
export type SessionFacts = {
  readonly prompts: readonly string[]
  readonly todos: string
  readonly reads: readonly string[]
}

const MOST_PROMPTS = 4
const MOST_READS = 40

export function factsOf(messages: readonly OpencodeMessage[]): SessionFacts {
  const prompts = messages.filter(isUser).flatMap(({ parts }) => parts.flatMap(typedText))
  const tools = messages.flatMap(({ parts }) => parts.flatMap((it) => toolPart(it) ?? []))
  const reads = tools
    .filter((it) => it.tool === "read" && it.isDone)
    .map((it) => textOf(it.input["filePath"]))
  const plans = tools.filter((it) => it.tool === "todowrite" && it.isDone)
  return {
    prompts: prompts.slice(-MOST_PROMPTS),
    todos: stepsIn(plans.at(-1)?.input["todos"]),
    reads: [...new Set(reads.filter((it) => it !== ""))].slice(-MOST_READS),
  }
}

/** Without texts that opencode or a plugin added. */
function typedText(part: JsonRecord): readonly string[] {
  const text = textOf(part["text"])
  return part["type"] === "text" && part["synthetic"] !== true && text.trim() !== "" ? [text] : []
}

function stepsIn(todos: unknown): string {
  const steps = Array.isArray(todos) ? todos.filter(isRecord) : []
  return steps.map((it) => `[${textOf(it["status"])}] ${textOf(it["content"])}`).join("\n")
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}
