import { z } from "zod"

const LONGEST_CHARACTERS = 950_000

/** Repeated to the length that a field allows: one word, dense keywords, nesting, lines, Han. */
export const LONG_TEXTS: Readonly<Record<string, string>> = {
  letters: "a",
  "names of secrets": "password = cookie=a=",
  brackets: '([{<"',
  lines: "- > `a\n",
  han: "漢",
  paths: "a.b/c",
  escapes: "\\\"'",
}

export type LongInput = {
  readonly what: string
  readonly input: Readonly<Record<string, unknown>>
}

type Field = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly items?: Field
  readonly maxLength?: number
  readonly maxItems?: number
  readonly pattern?: string
}

/**
 * Inputs for an operation or a tool: each text as long as its schema allows, with valid values for
 * the other required fields; then an unknown field of a megabyte, and a nested one. So a new
 * operation is covered without a change here.
 */
export function longInputs(
  operation: InputOwner & { readonly name: string },
  kinds: (fieldNumber: number) => readonly string[],
): readonly LongInput[] {
  const { name } = operation
  const needed = shortInput(operation)
  const texts = fieldsOf(operation).filter(hasText)
  return [
    ...texts.flatMap(([key, field], at) =>
      kinds(at).map((kind) => ({
        what: `${name} ${key}: ${kind}`,
        input: { ...needed, [key]: longFor(field, LONG_TEXTS[kind] ?? "") },
      })),
    ),
    { what: `${name}: unknown field`, input: { ...needed, x: textOf("a", LONGEST_CHARACTERS) } },
    { what: `${name}: nested field`, input: { ...needed, x: nested(50) } },
  ]
}

type InputOwner = { readonly input: z.ZodType }

function schemaOf({ input }: InputOwner) {
  return z.toJSONSchema(input, { io: "input", unrepresentable: "any" })
}

function fieldsOf(operation: InputOwner): readonly (readonly [string, Field])[] {
  return Object.entries((schemaOf(operation).properties ?? {}) as Record<string, Field>)
}

/** A valid short value for each required field, so that the handler runs. */
export function shortInput(operation: InputOwner): Readonly<Record<string, unknown>> {
  const { required = [] } = schemaOf(operation)
  return Object.fromEntries(
    fieldsOf(operation)
      .filter(([key]) => required.includes(key))
      .map(([key, it]) => [key, shortFor(it)]),
  )
}

/** Every field that is a text or a list of texts, with the longest text that it accepts. */
export function textFields(operation: InputOwner) {
  return fieldsOf(operation)
    .filter(hasText)
    .map(([key, field]) => ({
      key,
      most: field.items?.maxLength ?? field.maxLength ?? 1_000,
      isList: field.type === "array",
    }))
}

function hasText([, field]: readonly [string, Field]): boolean {
  return isText(field) || (field.items !== undefined && isText(field.items))
}

function isText(field: Field): boolean {
  return field.type === "string" && field.enum === undefined
}

function shortFor(field: Field): unknown {
  if (field.enum !== undefined) return field.enum[0]
  if (field.type === "array") return [shortFor(field.items ?? {})]
  if (field.type === "boolean") return false
  return field.type === "string" ? "a" : 1
}

function longFor(field: Field, unit: string): unknown {
  const longest = Math.min(field.items?.maxLength ?? field.maxLength ?? 1_000, LONGEST_CHARACTERS)
  // `NAME=value`: the only pattern of a long text.
  const start = (field.items ?? field).pattern?.includes("=") === true ? "A=" : ""
  const text = start + textOf(unit, longest - start.length)
  if (field.type !== "array") return text
  const count = Math.min(
    field.maxItems ?? 100,
    Math.max(1, Math.floor(LONGEST_CHARACTERS / longest)),
  )
  return Array.from({ length: count }, () => text)
}

function textOf(unit: string, characters: number): string {
  return unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters)
}

function nested(levels: number): unknown {
  let value: unknown = textOf("ab ", LONGEST_CHARACTERS / 2)
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { x: value }
  return value
}
