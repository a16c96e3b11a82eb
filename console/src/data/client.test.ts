import { describe, expect, it } from "vitest"
import { toWireError } from "../base/errors.ts"
import { createClient, withQuery } from "./client.ts"

type SentRequest = { url: string; method: string; headers: Headers; body: string }

function clientOf(answer: () => Response | Promise<Response>) {
  const sent: SentRequest[] = []
  const client = createClient({
    fetch: async (url, request) => {
      sent.push({
        url: typeof url === "string" ? url : "",
        method: request?.method ?? "GET",
        headers: new Headers(request?.headers),
        body: typeof request?.body === "string" ? request.body : "",
      })
      return answer()
    },
  })
  return { client, sent }
}

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })

describe("client", () => {
  it("[CONSOLE-14] read sends a GET request with repeated query fields and the client header", async () => {
    const { client, sent } = clientOf(() => json(200, {}))
    await client.read("tokens.count", { paths: ["a b.md", "c.md"], budget: 5 })
    expect(sent[0]).toMatchObject({
      url: "/api/tokens/count?paths=a+b.md&paths=c.md&budget=5",
      method: "GET",
    })
    expect(sent[0]?.headers.get("x-qm-client")).toBe("console")
    expect(sent[0]?.headers.get("content-type")).toBeNull()
  })

  it("[CONSOLE-14] write sends a POST request with the input as JSON", async () => {
    const { client, sent } = clientOf(() => json(200, {}))
    await client.write("config.set", { key: "tokens.window", value: "1", layer: "user" })
    expect(sent[0]).toMatchObject({
      url: "/api/config/set",
      method: "POST",
      body: '{"key":"tokens.window","value":"1","layer":"user"}',
    })
    expect(sent[0]?.headers.get("content-type")).toBe("application/json")
  })

  it("[CONSOLE-14] an error response keeps code, message, hint and data", async () => {
    const wire = { code: "STORE_BUSY", message: "Busy.", hint: "Wait.", data: { ms: 5 } }
    const { client } = clientOf(() => json(503, wire))
    const error = await client.read("store.status", {}).catch((it: unknown) => it)
    expect(toWireError(error)).toEqual(wire)
  })

  it.each([
    [
      "no server",
      () => Promise.reject(new TypeError("fetch failed")),
      "CONSOLE_SERVER_UNREACHABLE",
    ],
    ["no JSON", () => new Response("<html>", { status: 502 }), "CONSOLE_ANSWER_UNREADABLE"],
    ["JSON that is no object", () => json(200, 7), "CONSOLE_ANSWER_UNREADABLE"],
    ["no session", () => new Response(null, { status: 401 }), "CONSOLE_SESSION_OVER"],
  ])(
    "[CONSOLE-14] a response with %s becomes an error with a hint",
    async (_says, answer, code) => {
      const { client } = clientOf(answer)
      const error = toWireError(await client.session().catch((it: unknown) => it))
      expect(error).toMatchObject({ code })
      expect(error.hint.length).toBeGreaterThan(10)
      expect(error.hint.length).toBeLessThanOrEqual(160)
    },
  )

  it("[CONSOLE-14] signOut deletes this session, or all of them, with the client header", async () => {
    const { client, sent } = clientOf(() => new Response(null, { status: 204 }))
    await client.signOut("this")
    await client.signOut("all")
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "DELETE /api/session",
      "DELETE /api/session/all",
    ])
    expect(sent[0]?.headers.get("x-qm-client")).toBe("console")
  })

  it("[CONSOLE-14] an unexpected error is reported as a bug of Quartermaster, with its stack", () => {
    expect(toWireError(new Error("x"))).toMatchObject({ code: "CONSOLE_UNFORESEEN" })
    expect(toWireError("x")).toMatchObject({ data: { error: "x" } })
  })

  it("[CONSOLE-14] withQuery omits undefined values and empty lists", () => {
    expect(withQuery("/a", { x: undefined, y: false, z: [] })).toBe("/a?y=false")
    expect(withQuery("/a", {})).toBe("/a")
  })
})
