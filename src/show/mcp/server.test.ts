import { describe, expect, test } from "vitest"
import { z } from "zod"
import { defineError } from "#ground/base"
import { Config } from "#ground/contract"
import { bareApp, coreMcp, ERAS, join, read } from "./mcp.fixture.ts"

const Spent = defineError<{ retryAfterSeconds: number; said: string }>()("TEST_TOO_MANY", {
  family: "unavailable",
  message: (it) => `Too many, said ${it.said}.`,
  hint: (it) => `Try again in ${it.retryAfterSeconds} seconds.`,
})

const BRANCH = { description: "look", prompt: "look around" }
const failing = (error: unknown) => ({
  call: async () => {
    throw error
  },
})

describe.each(ERAS)("a client of the %s protocol", (era) => {
  test("[MCP-2] the client gets the core tools, version and instructions; branch, return, pack and search are always loaded", async () => {
    await using client = await join(coreMcp(bareApp().app), { era })
    const { tools } = await client.listTools()
    expect(tools.map((it) => it.name)).toEqual([
      "branch",
      "return",
      "branch_status",
      "read_handle",
      "pack",
      "search",
      "map",
      "capture",
      "memory_search",
      "memory_record",
      "memory_feedback",
    ])
    const loaded = tools.filter((it) => it._meta?.["anthropic/alwaysLoad"] === true)
    expect(loaded.map((it) => it.name)).toEqual(["branch", "return", "pack", "search"])
    expect(client.getServerVersion()).toMatchObject({ name: "quartermaster", version: "1.2.3" })
    expect(client.getInstructions()).toContain("call branch")
  })

  test("[MCP-9] with folding off, branch, return and branch_status are not listed, and branch cannot be called", async () => {
    const config = Config.parse({ context_folding: { enabled: false } })
    const { app, asked } = bareApp({ config: () => config })
    await using client = await join(coreMcp(app), { era })
    const { tools } = await client.listTools()
    expect(tools.map((it) => it.name)).toEqual([
      "read_handle",
      "pack",
      "search",
      "map",
      "capture",
      "memory_search",
      "memory_record",
      "memory_feedback",
    ])
    expect(client.getInstructions()).not.toContain("branch")
    await expect(client.callTool({ name: "branch", arguments: BRANCH })).rejects.toThrow("branch")
    expect(asked).toEqual([])
  })

  test("[MCP-4] an invalid argument gets an error with its name and what is expected", async () => {
    const { app, asked } = bareApp()
    await using client = await join(coreMcp(app), { era })
    const wrong = { description: "look", prompt: 7, budget: "much", colour: "red" }
    const answer = read(await client.callTool({ name: "branch", arguments: wrong }))
    expect(answer).toMatchInlineSnapshot(`
      {
        "failure": {
          "code": "MCP_ARGUMENTS_INVALID",
          "hint": "Call branch again with description, prompt, budget, timeout_seconds, parent_branch_id, scope, session_id.",
          "message": "Invalid arguments for branch: prompt must be text, got 7; budget must be a number, got "much"; input has unknown field "colour".",
        },
        "fields": {},
        "isError": true,
        "text": "MCP_ARGUMENTS_INVALID: Invalid arguments for branch: prompt must be text, got 7; budget must be a number, got "much"; input has unknown field "colour". Call branch again with description, prompt, budget, timeout_seconds, parent_branch_id, scope, session_id.",
      }
    `)
    expect(asked).toEqual([])
  })

  test("[MCP-5] an error has code, message and retry time", async () => {
    const { app } = bareApp(failing(Spent({ retryAfterSeconds: 7, said: "the room" })))
    await using client = await join(coreMcp(app), { era })
    const answer = read(await client.callTool({ name: "branch", arguments: BRANCH }))
    expect(answer).toMatchInlineSnapshot(`
      {
        "failure": {
          "code": "TEST_TOO_MANY",
          "hint": "Try again in 7 seconds.",
          "message": "Too many, said the room.",
          "retry_after_seconds": 7,
        },
        "fields": {},
        "isError": true,
        "text": "TEST_TOO_MANY: Too many, said the room. Try again in 7 seconds.",
      }
    `)
  })

  test("[MCP-5] a bug reveals no details", async () => {
    const lines: unknown[] = []
    const log = { ...bareApp().app.log, error: (...line: unknown[]) => void lines.push(line) }
    const bug = new Error("row 7 of secret_table")
    const { app } = bareApp({ ...failing(bug), log })
    await using client = await join(coreMcp(app), { era })
    const answer = read(await client.callTool({ name: "branch", arguments: BRANCH }))
    expect(answer.text).toMatch(/^BUG: Internal error in Quartermaster\./)
    expect(JSON.stringify(answer)).not.toContain("secret_table")
    expect(JSON.stringify(lines)).toContain("row 7 of secret_table")
  })

  test("[MCP-5] an error that cannot be redacted has only its code", async () => {
    const lines: unknown[] = []
    const log = { ...bareApp().app.log, error: (...line: unknown[]) => void lines.push(line) }
    const redact = () => Promise.reject(new Error("no rules"))
    const error = Spent({ retryAfterSeconds: 7, said: "hunter2" })
    for (const thrown of [error, new Error("hunter2")]) {
      const { app } = bareApp({ ...failing(thrown), redact, log })
      await using client = await join(coreMcp(app), { era })
      const answer = read(await client.callTool({ name: "branch", arguments: BRANCH }))
      expect(answer.isError).toBe(true)
      expect(JSON.stringify(answer)).not.toContain("hunter2")
    }
    expect(JSON.stringify(lines)).not.toContain("hunter2")
  })

  test("[MCP-7] a result that does not match its schema is reported as a bug", async () => {
    const { app } = bareApp({ call: async () => ({ branchId: "br_1" }) })
    await using client = await join(coreMcp(app), { era })
    const answer = read(await client.callTool({ name: "branch", arguments: BRANCH }))
    expect(answer.text).toMatch(/^BUG: /)
  })

  test("[MCP-13] progress is reported in numbers that only rise", async () => {
    const { app } = bareApp({
      async call(_name, _input, { onProgress }) {
        for (const what of ["reading", "weighing"]) {
          for (let done = 0; done <= 1_000; done += 1) onProgress?.({ what, done, total: 1_000 })
        }
        throw Spent({ retryAfterSeconds: 1, said: "enough" })
      },
    })
    await using client = await join(coreMcp(app), { era })
    const heard: { progress: number; message?: string | undefined }[] = []
    const options = {
      onprogress: (it: { progress: number; message?: string | undefined }) => void heard.push(it),
    }
    await client.callTool({ name: "search", arguments: { query: "x" } }, options)
    const figures = heard.map((it) => it.progress)
    expect(figures).toEqual(figures.toSorted((a, b) => a - b))
    expect(new Set(figures).size).toBe(figures.length)
    expect(heard.length).toBeLessThanOrEqual(202)
    expect(heard.at(-1)?.message).toBe("weighing: 1000 of 1000")
  })

  test("[MCP-13] cancelling a request aborts its operation", async () => {
    const begun = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    const { app } = bareApp({
      async call(_name, _input, { signal }) {
        signal.addEventListener("abort", () => stopped.resolve())
        begun.resolve()
        await stopped.promise
      },
    })
    await using client = await join(coreMcp(app), { era })
    const leaving = new AbortController()
    const asking = client.callTool(
      { name: "search", arguments: { query: "x" } },
      { signal: leaving.signal },
    )
    await begun.promise
    // In the older protocol without a session a cancellation finds no request: the client
    // disconnects.
    if (era === "legacy") await client.close()
    else leaving.abort()
    expect(await asking.catch(() => "no answer")).toBe("no answer")
    await stopped.promise
  })
})

describe("callers", () => {
  const Notification = z.object({
    principal: z.string(),
    client: z.string().optional(),
    session: z.string(),
  })

  async function callerSeen(joined: Parameters<typeof join>[1]) {
    let seen: unknown
    const { app } = bareApp({
      async call(_name, _input, context) {
        seen = context.caller
      },
    })
    await using client = await join(coreMcp(app), joined)
    await client.callTool({ name: "branch", arguments: BRANCH })
    return Notification.parse(seen)
  }

  test("[MCP-3] the caller is identified by its credentials; its own name is only shown", async () => {
    const name = "owner"
    expect(await callerSeen({ era: "modern", principal: "client:ci", name })).toEqual({
      principal: "client:ci",
      client: "owner",
      session: "client:ci/owner",
    })
    expect(await callerSeen({ era: "legacy", principal: "client:ci", name })).toEqual({
      principal: "client:ci",
      client: "unnamed",
      session: "client:ci/http",
    })
  })

  test.each(["", " ", "\u200B"])(
    "[MCP-3] an agent that sends no name (%j) is not treated as a user",
    async (name) => {
      for (const era of ERAS) expect((await callerSeen({ era, name })).client).toMatch(/./)
    },
  )

  test("[MCP-3] a client's name is truncated and its invisible characters are escaped", async () => {
    const name = `\u202Etricky\u0000${"x".repeat(500)}`
    const { client = "", session } = await callerSeen({ era: "modern", name })
    expect(client).toMatch(/^\\u\{202e\}tricky\\x00x+$/)
    expect([client.length, session.length <= 200]).toEqual([80, true])
  })
})
