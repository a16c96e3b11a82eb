import { z } from "zod"
import type { JsonPath } from "./json-text.ts"
import { choices, quoted } from "./problems.ts"

type Wrong = { readonly path: JsonPath; readonly problem: string }

const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]

/**
 * Words that every provider's structured output and our own check of the answer understand. A
 * `pattern` is not among them: it could take for ever on an answer. A `$ref` could go round.
 */
const WORDS =
  `type title description properties required additionalProperties items enum const anyOf minimum
  maximum minItems maxItems minLength maxLength default`.split(/\s+/)

/** What is wrong with the schema of an output; nothing when there is none. */
export function schemaProblems(schema: unknown): readonly Wrong[] {
  if (schema === undefined) return []
  const wrong = wordProblems(schema, [])
  if (wrong.length > 0) return wrong
  if (typeOf(schema) !== "object")
    return [{ path: [], problem: "must be of type `object`: providers answer with nothing else" }]
  return compileProblems(schema)
}

function wordProblems(schema: unknown, path: JsonPath): readonly Wrong[] {
  if (!isRecord(schema)) return [{ path, problem: `has ${quoted(schema)} where a schema belongs` }]
  const unknown = Object.keys(schema).filter((it) => !WORDS.includes(it))
  const named = unknown.map((word) => ({
    path: [...path, word],
    problem: `has ${quoted(word)}, which is no word of our schemas; ${choices(word, WORDS)}`,
  }))
  return [...named, ...typeProblems(schema, path), ...innerProblems(schema, path)]
}

function typeProblems(schema: Fields, path: JsonPath): readonly Wrong[] {
  const given = schema.type
  const types = Array.isArray(given) ? given : [given]
  const wrong = types.filter((it) => it !== undefined && !TYPES.some((known) => known === it))
  const named = wrong.map((it) => ({
    path: [...path, "type"],
    problem: `has the type ${quoted(it)}; ${choices(typeof it === "string" ? it : "", TYPES)}`,
  }))
  const names = isRecord(schema.properties) ? Object.keys(schema.properties) : undefined
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const missing = required.filter((it) => names && !names.some((name) => name === it))
  const lacking = missing.map((it) => ({
    path: [...path, "required"],
    problem: `requires ${quoted(it)}, which is not among its \`properties\``,
  }))
  return [...named, ...lacking]
}

function innerProblems(schema: Fields, path: JsonPath): readonly Wrong[] {
  const { properties, items, anyOf, additionalProperties: more } = schema
  const inner = (value: unknown, ...steps: JsonPath) => wordProblems(value, [...path, ...steps])
  const ofProperties = isRecord(properties) ? Object.entries(properties) : []
  return [
    ...ofProperties.flatMap(([name, value]) => inner(value, "properties", name)),
    ...(properties === undefined || isRecord(properties) ? [] : inner(properties, "properties")),
    ...(items === undefined ? [] : inner(items, "items")),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((it, index) => inner(it, "anyOf", index)) : []),
    ...(more === undefined || typeof more === "boolean" ? [] : inner(more, "additionalProperties")),
  ]
}

/** What is left: values of a wrong kind, such as a text for `minItems`. */
function compileProblems(schema: unknown): readonly Wrong[] {
  try {
    z.fromJSONSchema(z.record(z.string(), z.unknown()).parse(schema))
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [{ path: [], problem: `is no JSON schema: ${reason}` }]
  }
}

function typeOf(schema: unknown): unknown {
  return isRecord(schema) ? schema.type : undefined
}

type Fields = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
