import path from "node:path"
import { type ParseError, parse as parseJson } from "jsonc-parser"
import { parse as parseToml, stringify as writeToml } from "smol-toml"
import type { Secrets } from "#ground/secrets"
import { redactArguments, redactCommand } from "./arguments.ts"
import { LONGEST_COMMAND_CHARACTERS } from "./limits.ts"

type Redacted = { readonly text: string; readonly replaced: number }

/** Everything of a capture that may hold a secret goes through one of these before it is shown. */
export type Redact = {
  text(text: string): Redacted
  /** A name, a path, a reason: anything that is one line. */
  line(text: string): string
  /** A settings file by its meaning; undefined when it cannot be parsed and so not be made safe. */
  settings(text: string, file: string): Redacted | undefined
  values(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** A program with its arguments, or an address. */
  command(text: string): string
}

export function createRedact(secrets: Pick<Secrets, "redact" | "redactJson">): Redact {
  const text = (given: string): Redacted => {
    const { text: shown, findings } = secrets.redact(given)
    return { text: shown, replaced: findings.length }
  }
  const line = (given: string): string => text(given).text
  const structured = (value: unknown) => {
    const { value: safe, replaced } = redactArguments(value)
    const { value: shown, findings } = secrets.redactJson(safe, { secretMaps: SECRET_MAPS })
    return { value: shown, replaced: replaced + findings.length }
  }
  return {
    text,
    line,
    settings(given, file) {
      const isToml = path.extname(file) === ".toml"
      const parsed = isToml ? tomlIn(given) : jsonIn(given)
      if (parsed === undefined) return undefined
      const { value, replaced } = structured(parsed.value)
      const shown = isToml ? tomlOf(value) : JSON.stringify(value, undefined, 2)
      return { text: shown, replaced }
    },
    values: (values) => asRecord(structured(values).value),
    // Redacted whole, then cut: a secret cut in two may no longer be known for one.
    command: (given) => line(redactCommand(given)).slice(0, LONGEST_COMMAND_CHARACTERS),
  }
}

/** Maps whose every value counts as a secret: nobody can tell by looking. */
const SECRET_MAPS = ["env", "headers", "http_headers", "env_http_headers"]

type Parsed = { readonly value: unknown }

function jsonIn(text: string): Parsed | undefined {
  const errors: ParseError[] = []
  const value: unknown = parseJson(text.replace(/^\uFEFF/, ""), errors, {
    allowTrailingComma: true,
  })
  return errors.length > 0 || value === undefined ? undefined : { value }
}

function tomlIn(text: string): Parsed | undefined {
  try {
    return { value: parseToml(text) }
  } catch {
    return undefined
  }
}

function tomlOf(value: unknown): string {
  return writeToml(asRecord(value))
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}
