import { expect, test } from "vitest"
import { z } from "zod"
import { defineOperations, OPERATIONS } from "#ground/contract"
import { bareApp } from "../mcp.fixture.ts"
import { deriveTools, toolView } from "./tool.ts"
import { toolsOf } from "./tools.ts"

const CALL = {
  app: bareApp().app,
  caller: { principal: "owner", session: "s" },
  signal: new AbortController().signal,
}

const { "probe.test": probe } = defineOperations("probe", {
  test: {
    summary: "For a test",
    effect: "read",
    surfaces: ["mcp"],
    mcp: { set: "core", name: "test_tool", title: "Test", description: "For a test." },
    input: z.object({ word: z.string() }),
    output: z.object({}),
  },
})

function answering(fields: { name: string; more?: number }) {
  const view = toolView({
    result: z.unknown(),
    fields: { name: z.string().max(3) },
    body: [],
    answer: () => ({ text: "said", fields }),
  })
  const [tool] = deriveTools(probe, { test_tool: view })
  if (tool === undefined) throw new Error("no tool")
  return tool
}

test("[MCP-7] fields that are not in the output schema are dropped, invalid ones refused", async () => {
  const more = await answering({ name: "abc", more: 1 }).run({ word: "x" }, CALL)
  expect(more).toEqual({ text: "said", fields: { name: "abc" } })
  await expect(answering({ name: "abcd" }).run({ word: "x" }, CALL)).rejects.toThrow("name")
})

test("[MCP-4] at most five problems are reported at once", async () => {
  const wrong = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`key${at}`, at]))
  const failure = await answering({ name: "abc" }).run(wrong, CALL).catch(String)
  expect(failure).toContain("Invalid arguments for test_tool: word is missing")
  expect(JSON.stringify(failure).length).toBeLessThan(1_200)
})

test.each(["a\0b", "\uD800"])(
  "[MCP-4] a session %j that cannot be stored is refused before any operation is called",
  async (session_id) => {
    const { app, asked } = bareApp()
    const [memoryRecord] = toolsOf([OPERATIONS["memory.record"]])
    const given = { kind: "fix", title: "Tide", body: "It comes twice.", session_id }
    const failure = await memoryRecord?.run(given, { ...CALL, app }).catch(String)
    expect(failure).toContain("session_id is invalid: contains invalid characters")
    expect(asked).toEqual([])
  },
)

test("[MCP-16] a tool's arguments are its operation's fields in snake_case, or the declared names", () => {
  const argumentsOf = (name: keyof typeof OPERATIONS) =>
    toolsOf([OPERATIONS[name]]).map((it) => Object.keys(it.input.shape))
  expect(argumentsOf("fold.status")).toEqual([["branch_id", "progress", "session_id"]])
  expect(argumentsOf("memory.search")).toEqual([["query", "kind", "limit", "session_id"]])
  expect(argumentsOf("kb.documents")).toEqual([["tier", "session_id"], ["session_id"]])
})

test("[MCP-16] a tool without a view returns its operation's result as JSON in snake_case", async () => {
  const { app, asked } = bareApp({ call: async () => ({ aWord: [{ isLong: true }] }) })
  const [tool] = deriveTools(probe, {})
  const answer = await tool?.run({ word: "x", session_id: "s" }, { ...CALL, app })
  expect(answer?.text).toBe('{"a_word":[{"is_long":true}]}')
  expect(asked).toEqual([{ name: "probe.test", input: { word: "x" }, principal: "owner" }])
})
