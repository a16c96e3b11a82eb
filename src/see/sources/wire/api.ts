import type { AuthProvider } from "@modelcontextprotocol/client"
import { isRecord, parseJson, sliceText } from "#ground/base"
import type { SourceConfig } from "#ground/contract"
import { type AskOptions, type Connection, digestOf, type ToolAnswer } from "./connection.ts"
import { guardedPost } from "./guarded-fetch.ts"

type ApiConfig = Extract<SourceConfig["transport"], { type: "api" }>
type ApiTool = ApiConfig["tools"][number]
type ApiParameter = ApiTool["parameters"][string]

/** An error page explains itself in its first lines. */
const LONGEST_ERROR_CHARACTERS = 2_000

type ApiKey =
  | { readonly kind: "none" }
  /** Read for each request, so that a key set meanwhile is used. */
  | { readonly kind: "key"; read(): Promise<string> }
  | { readonly kind: "login"; readonly auth: AuthProvider }

/**
 * An HTTP API as a source: its config declares the tools, so no program is started and nothing but
 * the declared requests is sent.
 */
export function openApi(config: ApiConfig, key: ApiKey): Connection {
  const definitions = config.tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchemaOf(tool),
    isAlwaysLoaded: false,
  }))
  return {
    tools: definitions,
    definitions,
    toolsDigest: digestOf(definitions),
    instructions: "",
    async call(name, args, options) {
      const tool = config.tools.find((it) => it.name === name)
      if (tool === undefined) throw new Error(`it has no tool ${name}`)
      const problem = problemIn(tool, args)
      if (problem !== undefined) return failed(problem)
      return readResponse(await send(tool, args, { config, key, options }), tool)
    },
    isOver: () => false,
    problem: () => undefined,
    close: async () => {},
  }
}

function inputSchemaOf({ parameters }: ApiTool) {
  const properties = Object.entries(parameters).map(
    ([name, { type, description, maximum }]) =>
      [
        name,
        {
          type,
          ...(type === "array" && { items: { type: "string" } }),
          ...(description !== undefined && { description }),
          ...(maximum !== undefined && { maximum }),
        },
      ] as const,
  )
  const required = Object.entries(parameters).flatMap(([name, it]) => (it.required ? [name] : []))
  return { type: "object", properties: Object.fromEntries(properties), required }
}

function problemIn(
  { parameters }: ApiTool,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(parameters, name))
  if (unknown !== undefined) return `The argument ${sliceText(unknown, 100)} is unknown.`
  for (const [name, { type, required, in: place }] of Object.entries(parameters)) {
    const value = args[name]
    // The URL parser would resolve it, also escaped.
    const isStep = place === "path" && /^\.{1,2}$/.test(String(value))
    if (isStep) return `The argument ${name} must not be a step of a path.`
    if (value === undefined && required) return `The argument ${name} is missing.`
    if (value !== undefined && !hasType(value, type)) return `The argument ${name} must be ${type}.`
  }
  return undefined
}

function hasType(value: unknown, type: ApiParameter["type"]): boolean {
  if (type === "array") return Array.isArray(value) && value.every((it) => typeof it === "string")
  if (type === "integer") return Number.isSafeInteger(value)
  return typeof value === type
}

type ApiRequest = {
  readonly config: ApiConfig
  readonly key: ApiKey
  readonly options: AskOptions
}

async function send(
  tool: ApiTool,
  args: Readonly<Record<string, unknown>>,
  { config, key, options }: ApiRequest,
): Promise<Response> {
  let problem: string | undefined
  const guarded = guardedPost({
    onProblem(text) {
      problem = text
    },
  })
  const { url, body } = requestOf(config, tool, args)
  const attempt = async (): Promise<Response> => {
    const response = await guarded(url, {
      method: tool.method,
      signal: options.signal,
      headers: {
        accept: "application/json",
        ...config.headers,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(await keyHeader(config, key)),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text().catch((error: unknown) => {
      throw problem === undefined ? error : new Error(problem)
    })
    return new Response(text, { status: response.status, headers: response.headers })
  }
  const first = await attempt()
  if (first.status !== 401 || key.kind !== "login") return first
  // As the transports of the protocol do: one new token, one more try.
  await key.auth.onUnauthorized?.({
    response: first.clone(),
    serverUrl: new URL(config.url),
    fetchFn: guarded,
  })
  return attempt()
}

async function keyHeader(
  { keyHeader: name }: ApiConfig,
  key: ApiKey,
): Promise<Record<string, string>> {
  if (key.kind === "none") return {}
  const value = key.kind === "key" ? await key.read() : ((await key.auth.token()) ?? "")
  return name === undefined ? { authorization: `Bearer ${value}` } : { [name]: value }
}

/** Path values are escaped, so that no argument leads to another address. */
function requestOf(
  { url }: ApiConfig,
  tool: ApiTool,
  args: Readonly<Record<string, unknown>>,
): { readonly url: URL; readonly body: Record<string, unknown> | undefined } {
  const placed = { path: new Map<string, string>(), query: new URLSearchParams(tool.query) }
  const body: Record<string, unknown> = structuredClone(tool.body ?? {})
  for (const [name, parameter] of Object.entries(tool.parameters)) {
    const value = args[name] ?? parameter.default
    if (value === undefined) continue
    const text = typeof value === "string" ? value : JSON.stringify(value)
    const wireName = parameter.name ?? name
    if (parameter.in === "path") placed.path.set(name, escapedForPath(text))
    else if (parameter.in === "query") placed.query.set(wireName, text)
    else body[wireName] = value
  }
  const path = tool.path.replace(/\{(\w+)\}/g, (_, name: string) => placed.path.get(name) ?? "")
  const target = new URL(`${url.replace(/(?<!\/)\/+$/, "")}${path}`)
  for (const [name, value] of placed.query) target.searchParams.set(name, value)
  return { url: target, body: tool.method === "POST" ? body : undefined }
}

/** Also what `encodeURIComponent` leaves, such as the quotes of a query language. */
function escapedForPath(value: string): string {
  const code = (it: string) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(value).replace(/[!'()*]/g, code)
}

async function readResponse(response: Response, tool: ApiTool): Promise<ToolAnswer> {
  const { status, headers } = response
  const text = await response.text()
  if (status >= 500 || status === 401 || status === 403 || status === 429) {
    throw new Error(`it answered ${status}: ${sliceText(text, LONGEST_ERROR_CHARACTERS)}`)
  }
  if (status >= 400) return failed(`Status ${status}. ${sliceText(text, LONGEST_ERROR_CHARACTERS)}`)
  const named = tool.returns.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const value = parseJson(text)
  return {
    content: [{ type: "text", text: [...named, text].filter((it) => it !== "").join("\n") }],
    structured: isRecord(value) ? value : undefined,
    isError: false,
  }
}

function failed(text: string): ToolAnswer {
  return { content: [{ type: "text", text }], structured: undefined, isError: true }
}
