import type { z } from "zod"

type Issue = z.core.$ZodIssue

/** Characters of a value that a message quotes; a longer one may be a key and is not quoted. */
const LONGEST_QUOTED_CHARACTERS = 80
const MOST_VALUES_LISTED = 20

type IssueContext = {
  /** The whole input that was parsed, to quote the invalid value. */
  readonly input?: unknown
  /** Instead of the path in the input, such as a setting or `--budget`. */
  readonly name?: string
  readonly isSecret?: boolean
}

/** A validation issue as one plain sentence without a full stop: `level must be at most 7, got 9`. */
export function describeIssue(issue: Issue, context: IssueContext = {}): string {
  const path = issue.path.map(String).join(".")
  const name = context.name ?? (path === "" ? "input" : path)
  const value = valueAt(context.input, issue.path)
  return `${name} ${describeProblem(issue, value, context.isSecret === true)}`
}

function describeProblem(issue: Issue, value: unknown, isSecret: boolean): string {
  const actual = context(value, isSecret)
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return "is missing"
      return `must be ${TYPES[issue.expected] ?? issue.expected}${actual}`
    case "invalid_value": {
      const values = issue.values.slice(0, MOST_VALUES_LISTED).map(String)
      const more = issue.values.length - values.length
      const list = `${values.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
      return `must be ${values.length > 1 ? "one of " : ""}${list}${actual}`
    }
    case "too_big":
      return `${limitText(issue.origin, "at most", issue)}${sizeText(issue.origin, value, actual)}`
    case "too_small":
      if (Number(issue.minimum) === 1 && UNITS[issue.origin] !== undefined)
        return "must not be empty"
      return `${limitText(issue.origin, "at least", issue)}${sizeText(issue.origin, value, actual)}`
    case "invalid_format":
      return formatText(issue, actual)
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}${actual}`
    case "unrecognized_keys":
      return `has unknown ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.map(quote).join(", ")}`
    case "invalid_union":
      return `has none of the allowed forms${actual}`
    case "invalid_key":
      return "has an invalid key"
    case "invalid_element":
      return "has an invalid entry"
    case "custom":
      return issue.message === "Invalid input"
        ? `is invalid${actual}`
        : `is invalid: ${issue.message}`
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
}

const UNITS: Readonly<Record<string, string>> = {
  string: "characters",
  array: "entries",
  set: "entries",
  map: "entries",
  file: "bytes",
}

type Limit = {
  readonly maximum?: number | bigint
  readonly minimum?: number | bigint
  readonly inclusive?: boolean
}

function limitText(origin: string, words: "at most" | "at least", issue: Limit): string {
  const limit = Number(issue.maximum ?? issue.minimum).toLocaleString("en-US")
  const unit = UNITS[origin]
  if (unit !== undefined) return `must have ${words} ${limit} ${unit}`
  if (issue.inclusive !== false) return `must be ${words} ${limit}`
  return `must be ${words === "at most" ? "less" : "more"} than ${limit}`
}

function sizeText(origin: string, value: unknown, actual: string): string {
  if (UNITS[origin] === undefined) return actual
  const isSized = typeof value === "string" || Array.isArray(value)
  return isSized ? `, has ${value.length.toLocaleString("en-US")}` : ""
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "a date as YYYY-MM-DD",
  datetime: "a time as YYYY-MM-DDTHH:MM:SSZ",
  url: "a URL",
  email: "an email address",
  uuid: "a UUID",
}

function formatText(issue: Extract<Issue, { code: "invalid_format" }>, actual: string): string {
  const format = FORMATS[issue.format]
  if (format !== undefined) return `must be ${format}${actual}`
  // Schemas give their patterns a message, such as "lowercase letters, digits and dashes".
  return issue.message.startsWith("Invalid ")
    ? `has an invalid format${actual}`
    : `must be ${issue.message.replace(/^must be /, "")}${actual}`
}

function context(value: unknown, isSecret: boolean): string {
  if (value === undefined) return ""
  if (isSecret) return ", got a hidden value"
  const text = JSON.stringify(value)
  if (text === undefined) return ""
  return text.length <= LONGEST_QUOTED_CHARACTERS
    ? `, got ${text}`
    : `, got a value of ${text.length} characters`
}

function quote(key: string): string {
  return key.length <= LONGEST_QUOTED_CHARACTERS ? JSON.stringify(key) : "with a long name"
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined
    value = Object.entries(value).find(([name]) => name === String(key))?.[1]
  }
  return value
}
