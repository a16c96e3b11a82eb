import { expect, test } from "vitest"
import { bareApp, join } from "../mcp.fixture.ts"
import { createMcp } from "../mcp.ts"

test("[MCP-1] the board set has four tools, of which two only read", async () => {
  const mcp = createMcp({ app: bareApp().app, tools: ["board"], version: "1.2.3" })
  await using client = await join(mcp, { era: "modern" })
  const { tools } = await client.listTools()
  expect(tools.map((it) => [it.name, it.annotations?.readOnlyHint])).toEqual([
    ["ticket_next", true],
    ["ticket_update", false],
    ["ticket_evidence", false],
    ["skill_validate", true],
  ])
})
