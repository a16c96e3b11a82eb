import { hash } from "node:crypto"
import { Client, type ContentBlock, ProtocolError, type Tool } from "@modelcontextprotocol/client"
import { compareText } from "#ground/base"
import type { Wire } from "./stdio.ts"

/** The library's own timer is a second safeguard. */
const SECOND_NET_MS = 5_000

const LONGEST_TOOL_DESCRIPTION_CHARACTERS = 1_000

const LONGEST_TOOL_NAME_CHARACTERS = 200

const MOST_TOOL_PAGES = 20

const MOST_TOOLS = 500

export type ToolShape = {
  readonly name: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

type ToolDefinition = ToolShape & {
  /** Set by servers whose tools hosts must not defer. */
  readonly isAlwaysLoaded: boolean
}

export type ToolAnswer = {
  readonly content: readonly ContentBlock[]
  readonly structured: unknown
  readonly isError: boolean
}

export type Connection = {
  readonly tools: readonly ToolShape[]
  readonly toolsDigest: string
  /** Tools as the server describes them, without truncation. */
  readonly definitions: readonly ToolDefinition[]
  readonly instructions: string
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: AskOptions,
  ): Promise<ToolAnswer>
  isOver(): boolean
  problem(): string | undefined
  close(): Promise<void>
}

export type AskOptions = { readonly signal: AbortSignal; readonly timeoutMs: number }

/** An error response: the server is alive and refused the request. */
export class ServerRefused extends Error {
  override readonly name = "ServerRefused"
}

/** On failure nothing is left running. */
export async function connect(wire: Wire, options: AskOptions): Promise<Connection> {
  // Offers no capabilities: a server cannot request files, model responses or user input.
  const client = new Client({ name: "quartermaster", version: "1" }, { capabilities: {} })
  let isOver = false
  client.onclose = () => {
    isOver = true
  }
  try {
    await client.connect(wire, requestOptions(options))
    const tools = await listTools(client, options)
    return {
      tools: tools.map(shapeOf),
      definitions: tools.map(definitionOf),
      instructions: client.getInstructions() ?? "",
      toolsDigest: digestOf(tools.toSorted((a, b) => compareText(a.name, b.name))),
      call: (name, args, options) => callTool(client, { name, arguments: { ...args } }, options),
      isOver: () => isOver,
      problem: wire.problem,
      close: () => wire.close(),
    }
  } catch (error) {
    const problem = wire.problem()
    // The package closes only after a failed handshake, and does not wait for the end.
    await wire.close()
    throw problem === undefined ? error : new Error(problem, { cause: error })
  }
}

/**
 * Not the package's function: it prints a line for a server without tools and reads lists of any
 * length.
 */
async function listTools(client: Client, options: AskOptions): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const tools: Tool[] = []
  let cursor: string | undefined
  for (let page = 0; page < MOST_TOOL_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const listed = await client.request({ method: "tools/list", params }, requestOptions(options))
    tools.push(...listed.tools)
    if (tools.length > MOST_TOOLS) throw new Error(`it lists more than ${MOST_TOOLS} tools`)
    cursor = listed.nextCursor
    if (cursor === undefined) return tools
  }
  throw new Error(`its list of tools has more than ${MOST_TOOL_PAGES} pages`)
}

/** Without the package's response validation: it would compile a schema from the server. */
async function callTool(
  client: Client,
  params: { readonly name: string; readonly arguments: Record<string, unknown> },
  options: AskOptions,
): Promise<ToolAnswer> {
  const response = client.request({ method: "tools/call", params }, requestOptions(options))
  const answer = await response.catch((error: unknown) => {
    throw error instanceof ProtocolError ? new ServerRefused(error.message) : error
  })
  return {
    content: answer.content,
    structured: answer.structuredContent,
    isError: answer.isError === true,
  }
}

function requestOptions({ signal, timeoutMs }: AskOptions) {
  return { signal, timeout: timeoutMs + SECOND_NET_MS }
}

function shapeOf({ name, description = "", inputSchema }: Tool): ToolShape {
  return {
    name: name.slice(0, LONGEST_TOOL_NAME_CHARACTERS),
    description: description.slice(0, LONGEST_TOOL_DESCRIPTION_CHARACTERS),
    inputSchema,
  }
}

function definitionOf({ name, description = "", inputSchema, _meta }: Tool): ToolDefinition {
  const isAlwaysLoaded = _meta?.["anthropic/alwaysLoad"] === true
  return { name, description, inputSchema, isAlwaysLoaded }
}

/** Equal values give equal text, whatever the key order. */
function canonical(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b))
  return Object.fromEntries(entries.map(([name, it]) => [name, sorted(it)]))
}

export function digestOf(value: unknown): string {
  return `sha256-${hash("sha256", canonical(value))}`
}
