import { isRecord } from "#ground/base"
import type { ScriptedBrain } from "#ground/model"
import {
  analyze,
  classify,
  converse,
  decide,
  plan,
  queryOf,
  refine,
  refinePlan,
  review,
  synthesize,
  understand,
} from "./answers.ts"

/**
 * Answers the stages of the shipped recipes without a model: deterministic, from the words of the
 * question and the material, with no prepared answers. It selects by the fields of the schema, so
 * that a copied recipe with other stage names works too.
 */
export const offlineBrain: ScriptedBrain = async ({ prompt, schema }) => {
  if (schema === undefined) return { text: converse(prompt) }
  const fields = fieldsOf(schema)
  const thought = THOUGHTS.find(({ wants }) => wants.every((it) => fields.has(it)))
  const text = queryOf(prompt).slice(0, 400)
  const value =
    thought === undefined ? fillSchema(schema, text) : fitted(thought.think(prompt), schema, text)
  return { text: JSON.stringify(value) }
}

type OfflineAnswer = {
  /** Fields that identify the kind of answer; the first match is used. */
  readonly wants: readonly string[]
  think(prompt: string): Readonly<Record<string, unknown>>
}

const THOUGHTS: readonly OfflineAnswer[] = [
  { wants: ["subQueries", "clarity"], think: analyze },
  { wants: ["subQueries"], think: refine },
  { wants: ["sections"], think: synthesize },
  // It cannot judge: only the word checks count, and the report says so.
  { wants: ["verdicts"], think: () => ({ verdicts: [] }) },
  { wants: ["breakout", "confidence"], think: classify },
  { wants: ["goal", "acceptance"], think: understand },
  { wants: ["steps"], think: (prompt) => (isRefining(prompt) ? refinePlan(prompt) : plan(prompt)) },
  { wants: ["remarks"], think: review },
  { wants: ["decision"], think: decide },
]

const isRefining = (prompt: string): boolean => prompt.includes('<data name="outputs.plan">')

type Schema = Readonly<Record<string, unknown>>

const DEEPEST = 12

const LONGEST = 20

/** A value that matches a JSON schema, with `words` as text: for stages of unknown recipes. */
function fillSchema(schema: Schema, text: string, level = 0): unknown {
  if (level > DEEPEST) return null
  if ("const" in schema) return schema["const"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  const either = firstOf(schema["anyOf"]) ?? firstOf(schema["oneOf"])
  if (either !== undefined) return fillSchema(either, text, level + 1)
  switch (typeOf(schema)) {
    case "object":
      return fillObject(schema, text, level)
    case "array":
      return fillArray(schema, text, level)
    case "number":
    case "integer":
      return fillNumber(schema)
    case "boolean":
      return false
    case "null":
      return null
    default:
      return fillString(schema, text)
  }
}

function fitted(own: Readonly<Record<string, unknown>>, schema: Schema, text: string) {
  const filled = fillSchema(schema, text)
  const whole = isRecord(filled) ? { ...filled, ...own } : own
  const { properties } = schema
  if (schema["additionalProperties"] !== false || !isRecord(properties)) return whole
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => Object.hasOwn(properties, name)),
  )
}

function fieldsOf(schema: Schema | undefined): ReadonlySet<string> {
  const properties = schema?.["properties"]
  return new Set(isRecord(properties) ? Object.keys(properties) : [])
}

function typeOf(schema: Schema): unknown {
  const { type } = schema
  if (Array.isArray(type)) return type[0]
  return type ?? (isRecord(schema["properties"]) ? "object" : "string")
}

function firstOf(list: unknown): Schema | undefined {
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isRecord(first) ? first : undefined
}

function fillObject(schema: Schema, text: string, level: number): Record<string, unknown> {
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : []
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const filled: Record<string, unknown> = {}
  for (const name of required) {
    if (typeof name !== "string") continue
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    filled[name] = fillSchema(isRecord(own) ? own : {}, text, level + 1)
  }
  return filled
}

function fillArray(schema: Schema, text: string, level: number): readonly unknown[] {
  const items = isRecord(schema["items"]) ? schema["items"] : {}
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0
  return Array.from({ length: Math.min(least, LONGEST) }, () => fillSchema(items, text, level + 1))
}

function fillNumber(schema: Schema): number {
  const { minimum, maximum } = schema
  const least = typeof minimum === "number" ? Math.max(0, Math.ceil(minimum)) : 0
  return typeof maximum === "number" && maximum < least ? maximum : least
}

function fillString(schema: Schema, text: string): string {
  const { minLength, maxLength } = schema
  const long = typeof minLength === "number" ? text.padEnd(minLength, ".") : text
  return typeof maxLength === "number" ? long.slice(0, maxLength) : long
}
