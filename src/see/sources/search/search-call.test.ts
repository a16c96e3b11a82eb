import { expect, test } from "vitest"
import { searchCall } from "./search-call.ts"

const tool = (name: string, properties: Record<string, unknown>) => ({
  name,
  description: "",
  inputSchema: { type: "object", properties },
})
const asked = { query: "tariff", limit: 5 }

test("[SOURCES-12] the tool is the configured one, else the first that searches, else the first that takes a query", () => {
  const fetch = tool("fetch", { url: {} })
  const ask = tool("ask", { q: {} })
  const find = tool("web_search", { query: {} })
  expect(searchCall([fetch, ask, find], asked)?.tool).toBe("web_search")
  expect(searchCall([fetch, ask], asked)?.tool).toBe("ask")
  expect(searchCall([fetch], asked)).toBeUndefined()
  expect(searchCall([], asked)).toBeUndefined()
  expect(searchCall([find, ask], { ...asked, tool: "ask" })).toEqual({
    tool: "ask",
    args: { q: "tariff" },
  })
  expect(searchCall([find], { ...asked, tool: "ask" })).toBeUndefined()
})

test("[SOURCES-12] query and limit use the tool's own parameter names and nothing else is sent", () => {
  const rows = [
    [
      { query: {}, limit: {} },
      { query: "tariff", limit: 5 },
    ],
    [
      { q: {}, count: { maximum: 3 } },
      { q: "tariff", count: 3 },
    ],
    [
      { search_query: {}, max_results: { maximum: 20 } },
      { search_query: "tariff", max_results: 5 },
    ],
    [
      { query: {}, numResults: true },
      { query: "tariff", numResults: 5 },
    ],
    [{ query: {}, other: {} }, { query: "tariff" }],
  ] as const
  for (const [properties, args] of rows) {
    expect(searchCall([tool("search", properties)], asked)?.args).toEqual(args)
  }
})

test("[SOURCES-12] a tool that takes any text is used only if the config names it", () => {
  const send = tool("send", { text: {} })
  expect(searchCall([send], asked)).toBeUndefined()
  expect(searchCall([send], { ...asked, tool: "send" })?.args).toEqual({ text: "tariff" })
})

test("[SOURCES-12] a tool without a valid input schema is not used", () => {
  for (const properties of [undefined, null, [], "query"]) {
    const strange = { name: "search", description: "", inputSchema: { properties } }
    expect(searchCall([strange], asked)).toBeUndefined()
  }
})
