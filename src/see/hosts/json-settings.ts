import { type ParseError, parse, printParseErrorCode } from "jsonc-parser"
import type { SettingsLayer } from "./host.ts"
import { SETTINGS_LIMIT_BYTES } from "./limits.ts"
import type { Look, ReadFile } from "./look.ts"
import { type Fields, isFields } from "./record.ts"

export type JsonFile = {
  readonly path: string
  readonly file: ReadFile | undefined
  readonly values: Fields
  readonly outcome: SettingsLayer["outcome"]
}

/** A settings file in JSON with comments; a broken one says so and counts as empty. */
export async function readJsonFile(look: Look, at: string, source: string): Promise<JsonFile> {
  const file = await look.read(at, { source, maxBytes: SETTINGS_LIMIT_BYTES })
  if (file === undefined) return { path: at, file, values: {}, outcome: await absence(look, at) }
  const outcome = parseSettings(file.bytes.toString())
  if (outcome.kind === "broken") {
    const text = `This file is broken (${outcome.problem}); nothing in it counts.`
    look.note({ code: "settings-broken", text, path: at })
  }
  return { path: at, file, values: outcome.kind === "found" ? outcome.values : {}, outcome }
}

async function absence(look: Look, at: string): Promise<SettingsLayer["outcome"]> {
  const found = await look.peek(at, SETTINGS_LIMIT_BYTES)
  if (found.kind === "missing") return { kind: "missing" }
  return { kind: "unreadable", reason: found.kind === "unreadable" ? found.reason : found.kind }
}

function parseSettings(text: string): SettingsLayer["outcome"] {
  const errors: ParseError[] = []
  const values: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length
    return { kind: "broken", problem: `${printParseErrorCode(first.error)}, line ${line}` }
  }
  return isFields(values)
    ? { kind: "found", values }
    : { kind: "broken", problem: "it is no object" }
}
