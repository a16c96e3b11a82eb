import { z } from "zod"
import type { Fold } from "#choose/fold"
import type { Caller, OperationInput, OperationName, Progress } from "#ground/contract"
import type { App } from "#show/app"
import { ArgumentsInvalid } from "../errors.ts"
import { LONGEST_LINE_CHARACTERS, MOST_PROBLEMS_TOLD } from "../limits.ts"

/** The sets that can be asked for; more come with their rooms. */
export const TOOL_SETS = ["core", "knowledge"] as const
export type ToolSetName = (typeof TOOL_SETS)[number]

/** What the tools need of the house. */
export type McpApp = Pick<App, "call" | "config" | "log" | "redact"> & {
  fold(): Promise<Pick<Fold, "meter">>
}

/** One call of a tool: who asks, and how the house is asked. */
export type ToolCall = {
  readonly app: McpApp
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

type Annotations = {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  /** Whether it asks the world outside; all but one do not. */
  readonly openWorldHint?: boolean
}

type ToolText = {
  readonly name: string
  readonly set: ToolSetName
  readonly title: string
  /** A constant: a description that changes under a host's feet is an attack (TB3). */
  readonly description: string
  readonly annotations: Annotations
  readonly meta?: Readonly<Record<string, unknown>>
  /** Not listed when folding is switched off. */
  readonly needsFolding?: boolean
}

/** What a tool answers: a text a model reads well, and the same as fields. */
export type ToolAnswer = { readonly text: string; readonly fields: Record<string, unknown> }

export type Tool = ToolText & {
  readonly input: z.ZodType
  readonly output: z.ZodType
  run(given: unknown, call: ToolCall): Promise<ToolAnswer>
}

type Answered<Output extends z.ZodObject> = {
  readonly text: string
  readonly fields: z.input<Output>
}

/** Arguments and answer are both held to the schemas that are shown to the host. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: ToolText & {
    readonly input: Input
    readonly output: Output
    call(input: z.output<Input>, call: ToolCall): Promise<Answered<Output>>
  },
): Tool {
  const { call, ...shown } = tool
  return {
    ...shown,
    async run(given, context) {
      const input = tool.input.safeParse(given)
      if (!input.success) {
        const problems = input.error.issues.slice(0, MOST_PROBLEMS_TOLD).map(sayIssue)
        throw ArgumentsInvalid({
          tool: tool.name,
          problems,
          fields: Object.keys(tool.input.shape),
        })
      }
      const { text, fields } = await call(input.data, context)
      return { text, fields: tool.output.parse(fields) }
    },
  }
}

function sayIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.map(String).join(".")
  const said = field === "" ? issue.message : `${field}: ${issue.message}`
  // It repeats names of fields that are not ours, and those may have any length.
  return said.slice(0, LONGEST_LINE_CHARACTERS)
}

/** Asks the house: one of its operations, by name, as this caller. */
export async function ask<Name extends OperationName>(
  { app, caller, signal, onProgress }: ToolCall,
  name: Name,
  input: OperationInput<Name>,
): Promise<unknown> {
  const context = { signal, caller, ...(onProgress !== undefined && { onProgress }) }
  return await app.call(name, input, context)
}

/**
 * Stands for the conversation; calls that name none belong to the client itself. What no database
 * keeps is refused before anything is asked: a tool that writes first would say that it did not.
 */
export const session_id = z
  .string()
  .min(1)
  .max(200)
  .refine((it) => it.isWellFormed() && !it.includes("\0"), "has signs that no id has")
  .optional()

/** What every answer with a body has: the text as it enters the window, and where all of it lies. */
export const BODY = {
  text: z.string(),
  handle: z.string().optional().describe("The whole text, for read_handle"),
  notice: z.string().optional(),
}
