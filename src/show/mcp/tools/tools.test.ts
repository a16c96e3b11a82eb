import { readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import { TOOL_SETS } from "#ground/contract"
import { createTokens } from "#ground/tokens"
import {
  MOST_TOKENS_ALWAYS_LOADED,
  MOST_TOKENS_OF_A_SET,
  MOST_TOKENS_OF_INSTRUCTIONS,
  MOST_TOOLS_IN_A_SET,
} from "../limits.ts"
import { bareApp, coreMcp, ERAS, join } from "../mcp.fixture.ts"
import { INSTRUCTIONS, INSTRUCTIONS_WITHOUT_FOLDING } from "../server.ts"

async function listed(era: (typeof ERAS)[number]) {
  await using client = await join(coreMcp(bareApp().app), { era })
  return (await client.listTools()).tools
}

test.each(ERAS)("[MCP-1] definitions are constants, the same in the %s protocol", async (era) => {
  // A change here is a change in every window with our tools, so the file is edited by hand.
  const golden: unknown = JSON.parse(
    readFileSync(path.join(import.meta.dirname, "golden.json"), "utf8"),
  )
  expect(await listed(era)).toEqual(golden)
})

test("[MCP-1] the core set has at most 12 tools and 4,000 tokens as sent, the instructions 200 tokens", async () => {
  const { count } = await createTokens({ encoding: "claude" }).counter()
  const tools = await listed("modern")
  expect(tools.length).toBeLessThanOrEqual(MOST_TOOLS_IN_A_SET)
  expect(count(JSON.stringify(tools))).toBeLessThanOrEqual(MOST_TOKENS_OF_A_SET)
  for (const said of [INSTRUCTIONS, INSTRUCTIONS_WITHOUT_FOLDING]) {
    expect(count(said)).toBeLessThanOrEqual(MOST_TOKENS_OF_INSTRUCTIONS)
  }
})

test.each(TOOL_SETS)("[MCP-1] the set %s has at most 4,000 tokens as sent", async (set) => {
  const { count } = await createTokens({ encoding: "claude" }).counter()
  await using client = await join(coreMcp(bareApp().app, { tools: [set] }), { era: "modern" })
  const { tools } = await client.listTools()
  const tokens = count(JSON.stringify(tools))
  expect(tokens).toBeGreaterThan(0)
  expect(tokens).toBeLessThanOrEqual(MOST_TOKENS_OF_A_SET)
})

test("[MCP-1] every tool takes a session, refuses other arguments and declares its effect", async () => {
  for (const { name, inputSchema, outputSchema, annotations } of await listed("modern")) {
    expect(Object.keys(inputSchema.properties ?? {}), name).toContain("session_id")
    expect(inputSchema["additionalProperties"], name).toBe(false)
    expect(outputSchema?.["type"], name).toBe("object")
    expect(annotations, name).toMatchObject({ openWorldHint: false })
    expect(annotations?.readOnlyHint, name).toBeTypeOf("boolean")
  }
})

test("[MCP-1] only branch, return, pack and search are always loaded, within 2,000 tokens", async () => {
  const { count } = await createTokens({ encoding: "claude" }).counter()
  const always = (await listed("modern")).filter(
    (it) => it._meta?.["anthropic/alwaysLoad"] === true,
  )
  expect(always.map((it) => it.name)).toEqual(["branch", "return", "pack", "search"])
  expect(count(JSON.stringify(always))).toBeLessThanOrEqual(MOST_TOKENS_ALWAYS_LOADED)
})
