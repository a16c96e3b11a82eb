import { expect, test } from "vitest"
import { z } from "zod"
import { bareApp } from "../mcp.fixture.ts"
import { memoryRecord } from "./memory.ts"
import { defineTool } from "./tool.ts"

const CALL = {
  app: bareApp().app,
  caller: { principal: "owner", session: "s" },
  signal: new AbortController().signal,
}

const answering = (fields: { name: string; more?: number }) =>
  defineTool({
    name: "test_tool",
    set: "core",
    title: "Test",
    description: "For a test.",
    annotations: { readOnlyHint: true },
    input: z.strictObject({ word: z.string() }),
    output: z.object({ name: z.string().max(3) }),
    call: async () => ({ text: "said", fields }),
  })

test("[MCP-7] fields that the output schema does not have are left out, and wrong ones refused", async () => {
  const more = await answering({ name: "abc", more: 1 }).run({ word: "x" }, CALL)
  expect(more).toEqual({ text: "said", fields: { name: "abc" } })
  await expect(answering({ name: "abcd" }).run({ word: "x" }, CALL)).rejects.toThrow("name")
})

test("[MCP-4] at most five problems are told at once", async () => {
  const wrong = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`key${at}`, at]))
  const failure = await answering({ name: "abc" }).run(wrong, CALL).catch(String)
  expect(failure).toContain("test_tool cannot use these arguments: word: Invalid input")
  expect(JSON.stringify(failure).length).toBeLessThan(1_200)
})

test.each(["a\0b", "\uD800"])(
  "[MCP-4] a session %j that nobody can keep is refused before anything is asked",
  async (session_id) => {
    const { app, asked } = bareApp()
    const given = { kind: "fix", title: "Tide", body: "It comes twice.", session_id }
    const failure = await memoryRecord.run(given, { ...CALL, app }).catch(String)
    expect(failure).toContain("session_id: has signs that no id has")
    expect(asked).toEqual([])
  },
)
