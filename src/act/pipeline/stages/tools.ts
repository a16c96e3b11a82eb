import { z } from "zod"
import { isRecord, plural, sliceText } from "#ground/base"
import type { SourceTools, StageCall } from "#ground/contract"
import { PlaceholderUnknown } from "../errors.ts"
import type { StageInput, StageResult, StageWork } from "../stage.ts"
import type { StagePorts } from "./ports.ts"
import { fillTemplate, instructionsFor, promptFor, templateOf } from "./prompt.ts"
import { whyFailed } from "./retrieve.ts"
import { ANY_WEB_SOURCE } from "./web.ts"

/** Each call takes some seconds; a model that wants more has no plan. */
const MOST_CHOSEN_CALLS = 8

const LONGEST_RESULT_CHARACTERS = 20_000

const LONGEST_TITLE_CHARACTERS = 120

type Ports = Pick<StagePorts, "callTool" | "sourceTools">

type ToolResult = {
  readonly source: string
  readonly tool: string
  readonly isError: boolean
  readonly text: string
}

/**
 * Calls tools of sources: those of `calls`, or, with a prompt, those that a model chooses among the
 * tools of the stage's sources. A failed call is a result like any other.
 */
export function toolsStage(ports: Ports): StageWork {
  return async (input) => {
    const calls = await callsOf(input, ports)
    if (typeof calls === "string") return { output: null, summary: calls, skipped: calls }
    const results: ToolResult[] = []
    for (const [index, call] of calls.entries()) {
      results.push(await callOne(input, { key: `call:${index + 1}`, call }, ports))
    }
    const failed = results.filter((it) => it.isError)
    if (failed.length === results.length) return allFailed(failed)
    const failures = failed.length === 0 ? "" : `, ${failed.length} failed`
    return { output: { results }, summary: `${plural(results.length, "tool call")}${failures}` }
  }
}

function allFailed([first]: readonly ToolResult[]): StageResult {
  const note = first === undefined ? "No tool was called." : `No tool answered: ${first.text}`
  return { output: null, summary: note, skipped: note }
}

async function callsOf(input: StageInput, ports: Ports): Promise<readonly StageCall[] | string> {
  const { calls = [], prompt } = input.stage
  const fixed = calls.map((it) => ({ ...it, args: filledRecord(it.args, input) }))
  if (prompt === undefined) return fixed
  const { tools, notes } = await listTools(input, ports)
  if (tools.length === 0) return notes[0] ?? "The sources of this stage have no tools."
  return [...fixed, ...(await choose(input, tools))]
}

function listTools(input: StageInput, ports: Ports): Promise<SourceTools> {
  const slugs = input.stage.scope.sources.filter((it) => it !== ANY_WEB_SOURCE)
  const label = { tool: "Source Tools", kind: "mcp", title: slugs.join(", ") } as const
  return input.effects.step("tools", label, async (signal) => {
    const result = await ports.sourceTools(slugs, signal)
    const detail = [plural(result.tools.length, "tool"), ...result.notes].join(". ")
    return { result, detail, outcome: result.tools.length === 0 ? "failed" : "done" }
  })
}

/** Arguments as text: a schema for every possible tool cannot be strict. */
const ChosenCalls = z.object({
  calls: z.array(z.object({ source: z.string(), tool: z.string(), args: z.string() })),
})
const CHOICE_SCHEMA = {
  type: "object",
  properties: {
    calls: {
      type: "array",
      items: {
        type: "object",
        properties: {
          source: { type: "string" },
          tool: { type: "string" },
          args: { type: "string", description: "A JSON object" },
        },
        required: ["source", "tool", "args"],
        additionalProperties: false,
      },
    },
  },
  required: ["calls"],
  additionalProperties: false,
}

async function choose(
  input: StageInput,
  tools: SourceTools["tools"],
): Promise<readonly StageCall[]> {
  const { value } = await input.effects.ask("choose", {
    title: "choose the tools to call",
    instructions: instructionsFor(input),
    prompt: promptFor(input, templateOf(input), { tools: tools.map(toolLine) }),
    schema: CHOICE_SCHEMA,
    effort: input.stage.effort,
    maxOutputTokens: input.stage.maxOutputTokens,
  })
  const chosen = ChosenCalls.safeParse(value)
  if (!chosen.success) return []
  return chosen.data.calls
    .filter((call) => tools.some((it) => it.source === call.source && it.name === call.tool))
    .slice(0, MOST_CHOSEN_CALLS)
    .map(({ args, ...call }) => ({ ...call, args: parsedArguments(args) }))
}

function toolLine({ source, name, description, input }: SourceTools["tools"][number]): string {
  return `source ${source}, tool ${name}: ${description}\narguments: ${input}`
}

function parsedArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function callOne(
  input: StageInput,
  { key, call }: { readonly key: string; readonly call: StageCall },
  ports: Ports,
): Promise<ToolResult> {
  const { source, tool, args } = call
  const title = sliceText(`${source} ${tool} ${JSON.stringify(args)}`, LONGEST_TITLE_CHARACTERS)
  const label = { tool: "Source Tool", kind: "mcp", title } as const
  const needs = { kind: "source", slug: source } as const
  return input.effects.step(key, { ...label, needs }, async (signal) => {
    const result = await calledTool(call, signal, ports)
    const detail = result.isError ? result.text : `${result.text.length} characters`
    return { result, detail, outcome: result.isError ? "failed" : "done" }
  })
}

/** A source that throws is a failed call: a dead source never ends a run. */
async function calledTool(call: StageCall, signal: AbortSignal, ports: Ports): Promise<ToolResult> {
  const { source, tool } = call
  try {
    const { text, isError } = await ports.callTool(call, signal)
    return { source, tool, isError, text: sliceText(text, LONGEST_RESULT_CHARACTERS) }
  } catch (error) {
    signal.throwIfAborted()
    return { source, tool, isError: true, text: whyFailed(error) }
  }
}

function filledRecord(
  args: Readonly<Record<string, unknown>>,
  input: StageInput,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).map(([name, it]) => [name, filled(it, input)]))
}

/** An argument gets the value itself: a tool does not read fences. */
function filled(value: unknown, input: StageInput): unknown {
  if (typeof value === "string") return fillTemplate(value, (name) => argumentValue(name, input))
  if (Array.isArray(value)) return value.map((it) => filled(it, input))
  return isRecord(value) ? filledRecord(value, input) : value
}

function argumentValue(name: string, input: StageInput): string {
  if (name === "query") return input.query
  const [first, stage = "", ...path] = name.split(".")
  if (first !== "outputs") throw PlaceholderUnknown({ stage: input.stage.name, name })
  const value = path.reduce<unknown>(
    (at, key) => (isRecord(at) ? at[key] : undefined),
    input.outputs[stage],
  )
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}
