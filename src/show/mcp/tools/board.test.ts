import { expect, test } from "vitest"
import { bareApp, join } from "../mcp.fixture.ts"
import { createMcp } from "../mcp.ts"

test("[MCP-1] the board set has three tools, of which one only reads", async () => {
  const mcp = createMcp({ app: bareApp().app, tools: ["board"], version: "1.2.3" })
  await using client = await join(mcp, { era: "modern" })
  const { tools } = await client.listTools()
  expect(tools.map((it) => [it.name, it.annotations?.readOnlyHint])).toEqual([
    ["ticket_next", true],
    ["ticket_update", false],
    ["ticket_evidence", false],
  ])
})

test("[MCP-1] the work set has the tools of an agent's session; a user's answer is not among them", async () => {
  const mcp = createMcp({ app: bareApp().app, tools: ["work"], version: "1.2.3" })
  await using client = await join(mcp, { era: "modern" })
  const { tools } = await client.listTools()
  expect(tools.map((it) => [it.name, it.annotations?.readOnlyHint])).toEqual([
    ["submit_plan", false],
    ["plan_status", true],
    ["plan_progress", false],
    ["agent_state", false],
    ["skill_validate", true],
    ["mermaid_validate", true],
    ["config_validate", true],
    ["source_test", false],
    ["recipe_validate", true],
  ])
})
