import { expect, test } from "vitest"
import { bareApp } from "./mcp.fixture.ts"
import { readToolSets, serveMcpOnStdio } from "./stdio.ts"

test("[MCP-14] without --tools the set is core, and duplicates are removed", () => {
  expect(readToolSets(undefined)).toEqual(["core"])
  expect(readToolSets("knowledge", true)).toEqual(["knowledge"])
  expect(readToolSets([])).toEqual(["core"])
  expect(readToolSets("core, core")).toEqual(["core"])
  expect(readToolSets(["core", "core"])).toEqual(["core"])
  expect(readToolSets("knowledge,core")).toEqual(["knowledge", "core"])
})

test("[MCP-21] without --tools the set sources is added if a setting lets agents call sources", () => {
  expect(readToolSets(undefined, true)).toEqual(["core", "sources"])
})

test.each([["boards"], ["core,session"], [""], [["core", "boards"]]])(
  "[MCP-14] an unknown set is refused with the list of known sets: %j",
  (given) => {
    expect(() => readToolSets(given)).toThrow(
      expect.objectContaining({
        code: "MCP_TOOLSET_UNKNOWN",
        message: expect.stringContaining(
          "known sets: core, knowledge, sessions, board, work, sources.",
        ),
      }),
    )
  },
)

test("[MCP-14] an unknown set is refused before the first frame", async () => {
  const { signal } = new AbortController()
  const serving = serveMcpOnStdio({ app: bareApp().app, input: { tools: ["boards"] }, signal })
  await expect(serving).rejects.toMatchObject({ code: "MCP_TOOLSET_UNKNOWN" })
})
