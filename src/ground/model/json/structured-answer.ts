import { z } from "zod"
import { visibleLine } from "#ground/base"
import type { JsonSchema } from "../ask.ts"
import { SchemaInvalid } from "../errors.ts"
import { LONGEST_REASON_CHARACTERS } from "../limits.ts"
import { extractJson } from "./extract-json.ts"

const MOST_NAMED_PROBLEMS = 5

type StructuredValue = { readonly value: unknown; readonly problem: string | undefined }
export type ReadAnswer = (text: string) => StructuredValue

/** Created once per question, so that an unusable schema is reported before any paid call. */
export function answerReader(schema: JsonSchema | undefined, name: string): ReadAnswer {
  if (schema === undefined) return readText
  const shape = compile(schema, name)
  return (text) => {
    if (text.trim() === "") return problem("The response is empty.")
    const extracted = extractJson(text)
    if (extracted.kind === "none") return problem("The response contains no JSON.")
    if (extracted.kind === "cut") return problem("The JSON in the response is incomplete.")
    const parsed = shape.safeParse(extracted.value)
    if (parsed.success) return { value: parsed.data, problem: undefined }
    return problem(`The response does not match its schema: ${describe(parsed.error.issues)}.`)
  }
}

function readText(text: string): StructuredValue {
  const isEmpty = text.trim() === ""
  return { value: undefined, problem: isEmpty ? "The response is empty." : undefined }
}

function problem(text: string): StructuredValue {
  return { value: undefined, problem: text }
}

function compile(schema: JsonSchema, name: string): z.ZodType {
  try {
    return z.fromJSONSchema(schema)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw SchemaInvalid({ name, reason }, error)
  }
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  const named = issues.slice(0, MOST_NAMED_PROBLEMS).map((issue) => {
    const what = issue.message.replace(/^Invalid input: /, "").replace(/^Invalid option: /, "")
    return `${pathOf(issue.path)}: ${visibleLine(what).slice(0, LONGEST_REASON_CHARACTERS)}`
  })
  const rest = issues.length - named.length
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ")
}

function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((it) => (typeof it === "number" ? `[${it}]` : `.${String(it)}`))
    .join("")
    .replace(/^\./, "")
  return text === "" ? "the response" : visibleLine(text).slice(0, LONGEST_REASON_CHARACTERS)
}
