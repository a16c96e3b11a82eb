import { z } from "zod"
import type { Fold } from "#choose/fold"
import { isRecord, withoutHiddenCharacters } from "#ground/base"
import {
  type Caller,
  describeIssue,
  type McpTool,
  type Operation,
  type OperationInput,
  type OperationName,
  type Progress,
  type ToolSetName,
} from "#ground/contract"
import type { App } from "#show/app"
import { ArgumentsInvalid } from "../errors.ts"
import { LONGEST_LINE_CHARACTERS } from "../limits.ts"

/** A model corrects a few problems at a time. */
const MOST_PROBLEMS_TOLD = 5

export type McpApp = Pick<App, "call" | "config" | "log" | "redact" | "operations"> & {
  fold(): Promise<Pick<Fold, "closeReader" | "meter" | "openReader">>
}

export type ToolCall = {
  readonly app: McpApp
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export type ToolArguments = Readonly<Record<string, unknown>>

/** A text for a model, and the same as fields. */
export type ToolAnswer = { readonly text: string; readonly fields: Record<string, unknown> }

export type Tool = {
  readonly name: string
  readonly set: ToolSetName
  readonly title: string
  readonly description: string
  readonly annotations: McpTool["annotations"]
  readonly meta: McpTool["meta"]
  readonly needsFolding: boolean
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  run(given: unknown, call: ToolCall): Promise<ToolAnswer>
}

type ViewAnswer = ToolAnswer & {
  /** Default: the tool's name. */
  readonly label?: string
  /** Whether it contains text from outside. */
  readonly isUntrusted?: boolean
}

/** Fields about a text that entered the window: the text, and the handle of the whole. */
const BODY = {
  text: z.string(),
  handle: z.string().optional().describe("The whole text, for read_handle"),
  notice: z.string().optional(),
}
type BodyKey = keyof typeof BODY

/** For tools that need more than the generic result. */
type ToolView = {
  /** Replaces the arguments derived from the operation's input. */
  readonly input: z.ZodObject | undefined
  readonly output: z.ZodObject
  readonly body: readonly BodyKey[]
  answer(given: ToolArguments, call: ToolCall, ask: () => Promise<unknown>): Promise<ViewAnswer>
}

type ViewParts<Result extends z.ZodType> = {
  readonly result: Result
  readonly input?: z.ZodObject
  readonly fields: z.ZodRawShape
  /**
   * Fields about the result's text, which is charged to the session's branch and stored under a
   * handle if it is large. With none the text is not charged. Default: all three.
   */
  readonly body?: readonly BodyKey[]
  /** Calls other operations than the one the tool is derived from, or several. */
  ask?(given: ToolArguments, call: ToolCall): Promise<z.output<Result>>
  answer(
    result: z.output<Result>,
    given: ToolArguments,
    call: ToolCall,
  ): ViewAnswer | Promise<ViewAnswer>
}

export function toolView<Result extends z.ZodType>(parts: ViewParts<Result>): ToolView {
  const { result, input, fields, body = ["text", "handle", "notice"] } = parts
  const shape = Object.fromEntries(body.map((key) => [key, BODY[key]]))
  return {
    input,
    output: z.object({ ...fields, ...shape }),
    body,
    async answer(args, call, ask) {
      const value =
        parts.ask === undefined ? result.parse(await ask()) : await parts.ask(args, call)
      return parts.answer(value, args, call)
    },
  }
}

/** The result as JSON, for tools without a view. */
const GENERIC = toolView({
  result: z.unknown(),
  fields: {},
  answer: (result) => ({ text: JSON.stringify(inSnakeCase(result)), fields: {} }),
})

export function deriveTools(
  operation: Operation,
  views: Readonly<Record<string, ToolView>>,
): readonly Tool[] {
  return [operation.mcp ?? []].flat().map((declared) => {
    const name = declared.name ?? snakeCase(operation.name.replace(".", "_"))
    return deriveTool(operation, { ...declared, name }, views[name] ?? GENERIC)
  })
}

function deriveTool(
  operation: Operation,
  declared: McpTool & { readonly name: string },
  view: ToolView,
): Tool {
  const { name, set, title, description, meta, needsFolding = false } = declared
  const argumentsOf = toolArguments(operation, declared)
  const { input = argumentsOf.input } = view
  return {
    name,
    set,
    title,
    description,
    annotations: declared.annotations ?? { readOnlyHint: operation.effect === "read" },
    meta,
    needsFolding,
    input,
    output: view.output,
    async run(args, call) {
      const parsed = parseArguments(name, input, args)
      const ask = () => callOperation(call, operation.name, argumentsOf.toInput(parsed))
      const answer = await view.answer(parsed, call, ask)
      const { text, fields } = await enterWindow(
        { tool: name, given: parsed, ...answer },
        view,
        call,
      )
      return { text, fields: view.output.parse(fields) }
    },
  }
}

function toolArguments({ input }: Operation, { fields, texts = {}, given = {} }: McpTool) {
  const shape: z.ZodRawShape = input instanceof z.ZodObject ? input.shape : {}
  const own = Object.keys(shape).filter((key) => key !== "sessionId" && !(key in given))
  const named = fields ?? Object.fromEntries(own.map((key) => [snakeCase(key), key]))
  const schemas = Object.entries(named).flatMap(([name, key]) => {
    const field = shape[key]
    return field instanceof z.ZodType ? [[name, argumentSchema(field, texts[name])] as const] : []
  })
  return {
    input: z.strictObject({ ...Object.fromEntries(schemas), session_id }),
    toInput: (parsed: ToolArguments) => ({
      ...Object.fromEntries(Object.entries(named).map(([name, key]) => [key, parsed[name]])),
      ...given,
      ...("sessionId" in shape && { sessionId: parsed["session_id"] }),
    }),
  }
}

/** The operation applies the default; the tool shows that the argument is optional. */
function argumentSchema(field: z.ZodType, text = field.description ?? ""): z.ZodType {
  const schema = field instanceof z.ZodDefault ? z.optional(field.unwrap()) : field
  return text === "" ? schema.meta({ description: undefined }) : schema.describe(text)
}

/**
 * Identifies the conversation; without it a call belongs to the client itself. A value that no
 * database can store is refused before any operation is called.
 */
export const session_id = z
  .string()
  .min(1)
  .max(200)
  .refine((it) => it.isWellFormed() && !it.includes("\0"), "contains invalid characters")
  .optional()

function parseArguments(tool: string, input: z.ZodObject, args: unknown): ToolArguments {
  const parsed = input.safeParse(args)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues
    .slice(0, MOST_PROBLEMS_TOLD)
    // Names of unknown fields can have any length.
    .map((it) => describeIssue(it, { input: args }).slice(0, LONGEST_LINE_CHARACTERS))
  throw ArgumentsInvalid({ tool, problems, fields: Object.keys(input.shape) })
}

export async function ask<Name extends OperationName>(
  call: ToolCall,
  name: Name,
  input: OperationInput<Name>,
): Promise<unknown> {
  return callOperation(call, name, input)
}

async function callOperation(
  { app, caller, signal, onProgress }: ToolCall,
  name: string,
  input: object,
): Promise<unknown> {
  const context = { signal, caller, ...(onProgress !== undefined && { onProgress }) }
  return await app.call(name, input, context)
}

type ViewEntry = ViewAnswer & { readonly tool: string; readonly given: ToolArguments }

/** Charges the text to the session's branch, and stores it under a handle if it is large. */
async function enterWindow(
  { tool, given, label = tool, text, fields, isUntrusted }: ViewEntry,
  { body }: ToolView,
  { app, caller }: ToolCall,
): Promise<ToolAnswer> {
  if (body.length === 0) return { text, fields }
  const { session_id: sessionId, ...others } = given
  const fold = await app.fold()
  const metered = await fold.meter({
    caller,
    ...(typeof sessionId === "string" && { sessionId }),
    tool,
    input: JSON.stringify(others),
    text: withoutHiddenCharacters(text),
    label,
    ...(isUntrusted === true && { isUntrusted: true }),
  })
  const lines = body.flatMap((key) =>
    metered[key] === undefined ? [] : [[key, metered[key]] as const],
  )
  const shown = body.includes("text") ? metered.text : text
  return {
    // A notice comes last, where it is read.
    text: metered.notice === undefined ? shown : `${shown}\n\n${metered.notice}`,
    fields: { ...fields, ...Object.fromEntries(lines) },
  }
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [snakeCase(key), inSnakeCase(one)]),
  )
}
