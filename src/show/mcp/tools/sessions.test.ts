import { expect, test } from "vitest"
import { bareApp, join } from "../mcp.fixture.ts"
import { createMcp } from "../mcp.ts"

test("[MCP-1] the sessions set has one read-only tool that searches past sessions", async () => {
  const mcp = createMcp({ app: bareApp().app, tools: ["sessions"], version: "1.2.3" })
  await using client = await join(mcp, { era: "modern" })
  const { tools } = await client.listTools()
  expect(tools.map((it) => [it.name, it.annotations?.readOnlyHint])).toEqual([
    ["sessions_search", true],
  ])
  expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual([
    "query",
    "session",
    "limit",
    "session_id",
  ])
})
