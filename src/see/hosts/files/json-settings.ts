import { type ParseError, parse, printParseErrorCode } from "jsonc-parser"
import { isRecord, type JsonRecord } from "#ground/base"
import type { McpLaunch, McpServer, SettingsLayer } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"

export type JsonFile = {
  readonly path: string
  readonly file: ReadFile | undefined
  readonly values: JsonRecord
  readonly outcome: SettingsLayer["outcome"]
}

export async function readJsonFile(
  reader: SurveyReader,
  at: string,
  source: string,
): Promise<JsonFile> {
  const file = await reader.read(at, { source, maxBytes: SETTINGS_LIMIT_BYTES })
  if (file === undefined) return { path: at, file, values: {}, outcome: await absence(reader, at) }
  const outcome = parseSettings(file.bytes.toString())
  if (outcome.kind === "broken") {
    const text = `This file is invalid (${outcome.problem}) and is ignored.`
    reader.note({ code: "settings-broken", text, path: at })
  }
  return { path: at, file, values: outcome.kind === "found" ? outcome.values : {}, outcome }
}

async function absence(reader: SurveyReader, at: string): Promise<SettingsLayer["outcome"]> {
  const file = await reader.peek(at, SETTINGS_LIMIT_BYTES)
  if (file.kind === "missing") return { kind: "missing" }
  return { kind: "unreadable", reason: file.kind === "unreadable" ? file.reason : file.kind }
}

function parseSettings(text: string): SettingsLayer["outcome"] {
  const errors: ParseError[] = []
  let values: unknown
  try {
    values = parse(text, errors, { allowTrailingComma: true })
  } catch {
    return { kind: "broken", problem: "its values are nested too deeply" }
  }
  const [first] = errors
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length
    return { kind: "broken", problem: `${printParseErrorCode(first.error)}, line ${line}` }
  }
  return isRecord(values)
    ? { kind: "found", values }
    : { kind: "broken", problem: "it is not a JSON object" }
}

export function fieldsOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((it) => typeof it === "string")
  return texts.length === value.length ? texts : undefined
}

function textFields(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(fieldsOf(value))
  return Object.fromEntries(
    entries.flatMap(([name, it]) => (typeof it === "string" ? [[name, it]] : [])),
  )
}

/** How an MCP server is reached, from its entry in a config. */
export function launchOf(entry: JsonRecord): McpLaunch {
  const { url, command, args, env, headers } = entry
  if (typeof url === "string") return { kind: "http", url, headers: textFields(headers) }
  if (typeof command !== "string") return { kind: "unknown" }
  return { kind: "stdio", command, args: textsOf(args) ?? [], env: textFields(env) }
}

/** The caller decides the state of the servers. */
export function jsonMcpServers(
  { path, values, trust }: Pick<JsonFile, "path" | "values"> & Pick<McpServer, "trust">,
  scope: string,
  stateOf: (name: string) => string,
): readonly McpServer[] {
  return Object.entries(fieldsOf(values["mcpServers"])).flatMap(([name, server]) => {
    if (!isRecord(server)) return []
    const url = [server["url"], server["httpUrl"], server["serverUrl"]].find(isText)
    const words = [server["command"], ...(textsOf(server["args"]) ?? [])].filter(isText)
    const transport = url === undefined ? "stdio" : transportOf(server["type"])
    const target = url ?? words.join(" ")
    const launch = launchOf({ ...server, url })
    return [{ name, scope, path, trust, transport, target, launch, state: stateOf(name) }]
  })
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function transportOf(type: unknown): string {
  return type === "sse" ? "sse" : "http"
}
