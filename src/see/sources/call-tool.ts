import { isRecord, parseJson, sliceText, withoutHiddenCharacters } from "#ground/base"
import type { SourceAnswer, SourceTools } from "#ground/contract"
import { SourceArgumentsInvalid } from "./errors.ts"
import type { ToolAnswer, ToolShape } from "./wire/connection.ts"

/** A page of a large document; a longer text would fill a model's window. */
const LONGEST_ANSWER_CHARACTERS = 200_000

const LONGEST_SCHEMA_CHARACTERS = 4_000

/** Deeper arguments are refused: no tool needs them, and they would exhaust the stack. */
const DEEPEST_ARGUMENT_LEVELS = 50

export type ToolArguments = Readonly<Record<string, unknown>>

export function parseArguments(slug: string, tool: string, text: string): ToolArguments {
  const value = parseJson(text)
  if (isRecord(value)) return value
  const reason = value === undefined ? "they are not valid JSON" : "they are not an object"
  throw SourceArgumentsInvalid({ slug, tool, reason })
}

/** Texts of a model or a user may contain a key; nothing unchecked is sent. */
export async function redactArguments(
  args: ToolArguments,
  redact: (text: string) => Promise<string>,
): Promise<ToolArguments> {
  const walk = async (value: unknown, level: number): Promise<unknown> => {
    if (level > DEEPEST_ARGUMENT_LEVELS) return null
    if (typeof value === "string") return redact(value)
    if (Array.isArray(value)) return Promise.all(value.map((it) => walk(it, level + 1)))
    return isRecord(value) ? walkRecord(value, level) : value
  }
  const walkRecord = async (record: ToolArguments, level: number) => {
    const entries = Object.entries(record).map(
      async ([name, it]) => [await redact(name), await walk(it, level + 1)] as const,
    )
    return Object.fromEntries(await Promise.all(entries))
  }
  return walkRecord(args, 0)
}

export function readAnswer(
  called: { readonly slug: string; readonly tool: string },
  answer: ToolAnswer,
): SourceAnswer {
  const blocks = answer.content.map(blockText).filter((it) => it !== "")
  const structured = answer.structured === undefined ? "" : JSON.stringify(answer.structured)
  // Servers repeat their structure as text for clients that read only one of them.
  const text = withoutHiddenCharacters(blocks.join("\n\n") || structured).toWellFormed()
  return {
    source: called.slug,
    tool: called.tool,
    isError: answer.isError,
    text: sliceText(text, LONGEST_ANSWER_CHARACTERS),
    isTruncated: text.length > LONGEST_ANSWER_CHARACTERS,
  }
}

function blockText(block: ToolAnswer["content"][number]): string {
  switch (block.type) {
    case "text":
      return block.text
    case "resource_link":
      return `${block.name}: ${block.uri}`
    case "resource":
      return "text" in block.resource ? block.resource.text : `[data: ${block.resource.uri}]`
    case "image":
    case "audio":
      return `[${block.type}: ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`
    default:
      return block satisfies never
  }
}

export function showTools(slug: string, tools: readonly ToolShape[]): SourceTools["tools"] {
  return tools.map(({ name, description, inputSchema }) => ({
    source: slug,
    name: withoutHiddenCharacters(name),
    description: withoutHiddenCharacters(description),
    input: sliceText(JSON.stringify(inputSchema), LONGEST_SCHEMA_CHARACTERS),
  }))
}
