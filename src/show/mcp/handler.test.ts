import { describe, expect, test } from "vitest"
import { z } from "zod"
import { LARGEST_BODY_BYTES } from "./limits.ts"
import { bareApp, coreMcp, join, read } from "./mcp.fixture.ts"

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "tester", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}

function post(body: string, headers: Record<string, string> = {}) {
  return new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  })
}

const owner = { principal: "owner" }

describe("over HTTP", () => {
  test("[MCP-2] a modern client may request server information first", async () => {
    const mcp = coreMcp(bareApp().app)
    const body = { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: META } }
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" }
    const answer = await mcp.fetch(post(JSON.stringify(body), headers), owner)
    expect(await answer.json()).toMatchObject({
      id: 1,
      result: {
        supportedVersions: expect.arrayContaining(["2026-07-28"]),
        capabilities: { tools: {}, resources: {} },
      },
    })
  })

  test("[MCP-2] each request over HTTP creates its own server", async () => {
    let made = 0
    const mcp = coreMcp(bareApp().app, {
      extend() {
        made += 1
      },
    })
    await using client = await join(mcp, { era: "modern" })
    const before = made
    await client.listTools()
    await client.callTool({ name: "search", arguments: { query: "x" } })
    expect(made - before).toBe(2)
  })

  test("[MCP-2] a test may add its own tools", async () => {
    const mcp = coreMcp(bareApp().app, {
      extend: (server) => {
        server.registerTool("test_echo", { inputSchema: z.object({ said: z.string() }) }, (it) => ({
          content: [{ type: "text", text: it.said }],
        }))
      },
    })
    await using client = await join(mcp, { era: "legacy" })
    const answer = read(await client.callTool({ name: "test_echo", arguments: { said: "hello" } }))
    expect(answer.text).toBe("hello")
  })

  test.each([
    ["a body that is too large", post("x".repeat(LARGEST_BODY_BYTES + 1)), 413],
    ["a body that is no JSON", post("{"), 400],
    ["another media type", post("{}", { "content-type": "text/plain" }), 415],
    ["a GET", new Request("http://127.0.0.1/mcp"), 405],
    ["a DELETE", new Request("http://127.0.0.1/mcp", { method: "DELETE" }), 405],
  ])("[MCP-11] %s is refused with a protocol error", async (_what, request, status) => {
    const { app, asked } = bareApp()
    const answer = await coreMcp(app).fetch(request, owner)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({
      jsonrpc: "2.0",
      error: { code: expect.any(Number) },
    })
    expect(asked).toEqual([])
  })

  test("[MCP-4] a very long unknown argument name is truncated in the error", async () => {
    await using client = await join(coreMcp(bareApp().app), { era: "modern" })
    const given = { query: "x", ["y".repeat(1_000_000)]: 1 }
    const answer = read(await client.callTool({ name: "search", arguments: given }))
    expect(answer.failure).toMatchObject({ code: "MCP_ARGUMENTS_INVALID" })
    expect(answer.text.length).toBeLessThan(1_000)
  })

  test("[MCP-4] deep, large and malformed arguments and unknown tools are refused, and no operation is called", async () => {
    const { app, asked } = bareApp()
    await using client = await join(coreMcp(app), { era: "modern" })
    const deep: unknown = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
    for (const wrong of [deep, 1e12, null, "x".repeat(1_000_001), ["a"], { toString: 1 }]) {
      const answer = read(await client.callTool({ name: "search", arguments: { query: wrong } }))
      expect(answer.failure).toMatchObject({ code: "MCP_ARGUMENTS_INVALID" })
    }
    for (const name of ["__proto__", "constructor", "toString", "no_such_tool"]) {
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`Tool ${name}`)
    }
    expect(asked).toEqual([])
  })
})
