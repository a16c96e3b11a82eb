import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { z } from "zod"
import { silentLog } from "#ground/base"
import { Config, loadOperations } from "#ground/contract"
import { createMcp, type Mcp, type McpDeps } from "./mcp.ts"
import type { McpApp } from "./tools/tool.ts"

export type Era = "legacy" | "modern"
export const ERAS: readonly Era[] = ["legacy", "modern"]

type OperationCall = { readonly name: string; readonly input: unknown; readonly principal?: string }

/** An app with only the given parts. It records its calls. */
export function bareApp(overrides: Partial<McpApp> = {}) {
  const calls: OperationCall[] = []
  const app: McpApp = {
    config: () => Config.parse({}),
    log: silentLog,
    operations: loadOperations,
    redact: async (text) => text,
    fold: async () => ({
      meter: async ({ text }) => ({ text }),
      openReader: async () => {},
      closeReader: async () => {},
    }),
    ...overrides,
    async call(name, input, context) {
      const principal = context.caller?.principal
      calls.push({ name, input, ...(principal !== undefined && { principal }) })
      return await overrides.call?.(name, input, context)
    },
  }
  return { app, asked: calls }
}

export type JoinOptions = {
  readonly era: Era
  readonly principal?: string
  readonly name?: string
}

/** A client of the real package, connected to our handler without a socket. */
export async function join(mcp: Mcp, joined: JoinOptions) {
  const { era, principal = "owner", name = "tester" } = joined
  const client = new Client(
    { name, version: "1.0.0" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  )
  const transport = new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
    fetch: (url, init) => mcp.fetch(new Request(url, init), { principal }),
  })
  await client.connect(transport)
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await client.close()
    },
  })
}

/** The core set over HTTP, for tests. */
export function coreMcp(app: McpApp, extra: Partial<McpDeps> = {}): Mcp {
  return createMcp({ app, tools: ["core"], version: "1.2.3", ...extra })
}

const Answer = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.literal("text"), text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})

/** The parts of a result that tests compare. */
export function read(result: unknown) {
  const { isError = false, content, structuredContent, _meta } = Answer.parse(result)
  return {
    isError,
    text: content.map((it) => it.text).join("\n"),
    fields: structuredContent ?? {},
    failure: _meta?.["quartermaster/error"],
  }
}
