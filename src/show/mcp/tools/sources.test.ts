import { expect, test } from "vitest"
import { bareApp, join } from "../mcp.fixture.ts"
import { createMcp } from "../mcp.ts"

test("[MCP-1] the set sources has three tools, and says which of them use the network", async () => {
  const mcp = createMcp({ app: bareApp().app, tools: ["sources"], version: "1.2.3" })
  await using client = await join(mcp, { era: "modern" })
  const { tools } = await client.listTools()
  expect(
    tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.openWorldHint,
    ]),
  ).toEqual([
    ["source_tools", true, true],
    ["source_call", false, true],
    ["credential_request", false, false],
  ])
  const call = tools.find((it) => it.name === "source_call")
  expect(Object.keys(call?.inputSchema.properties ?? {})).toEqual([
    "source",
    "tool",
    "arguments",
    "session_id",
  ])
})
