import { parseJson } from "#ground/base/json"
import { asRecord } from "#ground/base/object"
import { formatExact } from "../contract.ts"
import type { JsonSchema } from "./client.ts"

export type FormField =
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "yes-no" }
  | {
      readonly kind: "number"
      readonly isWhole: boolean
      readonly min: number
      readonly max: number
    }
  | { readonly kind: "text"; readonly minLength: number; readonly maxLength: number }
  | { readonly kind: "list"; readonly item: FormField }
  | { readonly kind: "json" }

export type Question = {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly field: FormField
  readonly fallback: unknown
}

export type ParsedField =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "wrong"; readonly message: string }

export function questionsOf(schema: JsonSchema): readonly Question[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(asRecord(schema.properties)).map(([name, property]) => {
    const shape = asRecord(property)
    const hasDefault = "default" in shape
    return {
      name,
      description: typeof shape.description === "string" ? shape.description : "",
      isRequired: required.has(name) && !hasDefault,
      field: fieldOf(shape),
      fallback: shape.default,
    }
  })
}

export function fieldOf(schema: JsonSchema): FormField {
  const options = Array.isArray(schema.enum) ? schema.enum.filter(isText) : []
  if (options.length > 0) return { kind: "choice", options }
  switch (schema.type) {
    case "boolean":
      return { kind: "yes-no" }
    case "integer":
    case "number":
      return numberField(schema)
    case "string":
      return {
        kind: "text",
        minLength: numberOr(schema.minLength, 0),
        maxLength: numberOr(schema.maxLength, Number.POSITIVE_INFINITY),
      }
    case "array":
      return { kind: "list", item: fieldOf(asRecord(schema.items)) }
    default:
      return { kind: "json" }
  }
}

export function parseField(field: FormField, text: string): ParsedField {
  switch (field.kind) {
    case "choice":
      return field.options.includes(text)
        ? value(text)
        : wrong(`One of ${field.options.join(", ")}`)
    case "yes-no":
      return parseYesNo(text)
    case "number":
      return parseNumber(field, text)
    case "text":
      return parseText(field, text)
    case "list":
      return parseList(field, text)
    case "json":
      return parseJsonField(text)
    default:
      return field satisfies never
  }
}

export function formatValue(input: unknown): string {
  if (input === undefined || input === null) return ""
  if (typeof input === "string") return input
  return JSON.stringify(input)
}

export function describeField(field: FormField): string {
  switch (field.kind) {
    case "choice":
      return field.options.join(", ")
    case "yes-no":
      return "yes or no"
    case "number":
      return describeRange(field)
    case "text":
      return field.minLength > 0 ? "not empty" : ""
    case "list":
      return "one at a time"
    case "json":
      return "JSON"
    default:
      return field satisfies never
  }
}

type NumberField = Extract<FormField, { kind: "number" }>

function numberField(schema: JsonSchema): NumberField {
  const isWhole = schema.type === "integer"
  const above = numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY)
  const least = numberOr(schema.minimum, Number.NEGATIVE_INFINITY)
  return {
    kind: "number",
    isWhole,
    min: isWhole ? Math.max(least, above + 1) : Math.max(least, above),
    max: numberOr(schema.maximum, Number.POSITIVE_INFINITY),
  }
}

function parseNumber(field: NumberField, text: string): ParsedField {
  // Users write 200,000 and 200_000.
  const plain = text.trim().replaceAll(/[,_]/g, "")
  const number = plain === "" ? Number.NaN : Number(plain)
  const fits = number >= field.min && number <= field.max
  const isRight = Number.isFinite(number) && fits && (!field.isWhole || Number.isInteger(number))
  return isRight ? value(number) : wrong(capital(describeRange(field)))
}

/** Schemas have these limits for every integer; they are not shown. */
const BOUNDLESS = Number.MAX_SAFE_INTEGER

function describeRange({ isWhole, min, max }: NumberField): string {
  const noun = isWhole ? "a whole number" : "a number"
  const hasMin = min > -BOUNDLESS
  const hasMax = max < BOUNDLESS
  if (hasMin && hasMax) return `${noun} from ${formatExact(min)} to ${formatExact(max)}`
  if (hasMin) return `${noun}, at least ${formatExact(min)}`
  return hasMax ? `${noun}, at most ${formatExact(max)}` : noun
}

function parseText(field: Extract<FormField, { kind: "text" }>, text: string): ParsedField {
  if (text.length < field.minLength) return wrong("Must not be empty")
  if (text.length <= field.maxLength) return value(text)
  return wrong(`At most ${formatExact(field.maxLength)} characters`)
}

function parseYesNo(text: string): ParsedField {
  if (/^(yes|true)$/i.test(text)) return value(true)
  return /^(no|false)$/i.test(text) ? value(false) : wrong("Yes or no")
}

function parseList(field: Extract<FormField, { kind: "list" }>, text: string): ParsedField {
  const items = text.split("\n").filter((it) => it !== "")
  const parsed = items.map((it) => parseField(field.item, it))
  const firstWrong = parsed.find((it) => it.kind === "wrong")
  return firstWrong ?? value(parsed.map((it) => (it.kind === "value" ? it.value : undefined)))
}

function parseJsonField(text: string): ParsedField {
  const parsed = parseJson(text)
  return parsed === undefined ? wrong("Must be valid JSON") : value(parsed)
}

const value = (it: unknown): ParsedField => ({ kind: "value", value: it })
const wrong = (message: string): ParsedField => ({ kind: "wrong", message })

function numberOr(it: unknown, fallback: number): number {
  return typeof it === "number" ? it : fallback
}

function isText(it: unknown): it is string {
  return typeof it === "string"
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
