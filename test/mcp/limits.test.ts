import { describe, expect, test } from "vitest"
import { newServer } from "#test/server"
import { type McpClient, mcpClient, type ToolAnswer } from "./client.ts"
import { NO_LIMITS } from "./up.ts"

type Limit = keyof typeof NO_LIMITS

/** A server with one default limit and the others out of reach. */
async function newLimited(limit?: Limit) {
  const environment = Object.fromEntries(
    Object.entries(NO_LIMITS).filter(([name]) => name !== limit),
  )
  const server = await newServer({ environment })
  const client = mcpClient({ port: server.port, token: await server.token(), name: "host" })
  return {
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

function open(client: McpClient, given: object = {}): Promise<ToolAnswer> {
  const plain = { description: "a sub-task", prompt: "do it", parent_branch_id: "root" }
  return client.call("branch", { ...plain, ...given })
}

async function openMany(
  client: McpClient,
  count: number,
  given: (at: number) => object = () => ({}),
) {
  const opened: ToolAnswer[] = []
  for (let at = 0; at < count; at++) opened.push(await open(client, given(at)))
  expect(opened.filter((it) => it.isError)).toEqual([])
  return opened
}

type Refusal = { readonly limit: number; readonly mostSeconds: number }

function expectTooMany(refused: ToolAnswer, { limit, mostSeconds }: Refusal): void {
  const { isError, failure, text } = refused
  expect({ isError, code: failure?.code }).toEqual({ isError: true, code: "FOLD_TOO_MANY" })
  const seconds = failure?.retry_after_seconds ?? 0
  expect(seconds).toBeGreaterThan(0)
  expect(seconds).toBeLessThanOrEqual(mostSeconds)
  expect(text).toContain(`the limit is ${limit}.`)
  expect(text).toContain(`in ${seconds} seconds`)
}

describe("default limits", () => {
  test("[C2] a session opens five branches per minute; the next one is refused with a retry time", async () => {
    await using limited = await newLimited("CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT")
    await openMany(limited.client, 5)
    expectTooMany(await open(limited.client), { limit: 5, mostSeconds: 60 })
    expect(await open(limited.client, { session_id: "another" })).toMatchObject({ isError: false })
  })

  test("[C2] a session has at most ten open branches; a return frees one", async () => {
    await using limited = await newLimited("CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_SESSION")
    const [first] = await openMany(limited.client, 10)
    expectTooMany(await open(limited.client), { limit: 10, mostSeconds: 300 })
    const branch_id = first?.fields["branch_id"]
    await limited.client.call("return", { branch_id, message: "done" })
    expect(await open(limited.client)).toMatchObject({ isError: false })
  })

  test("[C2] all sessions together have at most a hundred open branches", async () => {
    await using limited = await newLimited("CONTEXT_FOLDING_MAX_CONCURRENT_BRANCHES_PER_INSTANCE")
    await openMany(limited.client, 100, (at) => ({ session_id: `session ${at}` }))
    const excess = Array.from({ length: 20 }, (_, at) =>
      open(limited.client, { session_id: `late ${at}` }),
    )
    for (const refused of await Promise.all(excess)) {
      expectTooMany(refused, { limit: 100, mostSeconds: 300 })
    }
    const listed = await limited.client.ask("tools/list", {}, 1)
    expect(listed.status).toBe(200)
  })

  test("[C2] branches nest at most three deep", async () => {
    await using limited = await newLimited()
    const depths: unknown[] = []
    let parent_branch_id: unknown = "root"
    for (const _ of [0, 1, 2]) {
      const { fields } = await open(limited.client, { parent_branch_id })
      depths.push(fields["depth"])
      parent_branch_id = fields["branch_id"]
    }
    expect(depths).toEqual([0, 1, 2])
    const refused = await open(limited.client, { parent_branch_id })
    expect(refused.failure?.code).toBe("FOLD_DEPTH_EXCEEDED")
  })

  test("[C2] token and time budgets have defaults and maximums", async () => {
    await using limited = await newLimited()
    const plain = await open(limited.client)
    expect(plain.fields).toMatchObject({ budget_allocated: 32_768, timeout_seconds: 300 })
    const most = await open(limited.client, { budget: 262_144, timeout_seconds: 600 })
    expect(most.fields).toMatchObject({ budget_allocated: 262_144, timeout_seconds: 600 })
    for (const [given, maximum] of [
      [{ budget: 262_145 }, "262,144"],
      [{ timeout_seconds: 601 }, "600"],
    ] as const) {
      const refused = await open(limited.client, given)
      expect(refused.failure?.code).toBe("FOLD_INVALID_INPUT")
      expect(refused.text).toContain(maximum)
    }
  })

  test("[C2] a branch over its budget refuses further work and accepts its return", async () => {
    await using limited = await newLimited()
    const { client } = limited
    const { fields } = await open(client, { prompt: "look again ".repeat(50), budget: 50 })
    const branch_id = fields["branch_id"]
    const refused = await client.call("read_handle", { handle: branch_id })
    expect(refused.failure?.code).toBe("FOLD_BUDGET_EXHAUSTED")
    const status = await client.call("branch_status", { branch_id })
    expect(status.fields["branch"]).toMatchObject({ status: "active", is_partial: false })
    const returned = await client.call("return", { branch_id, message: "as far as it came" })
    expect(returned.fields).toMatchObject({ status: "completed", message: "as far as it came" })
    const after = await client.call("branch_status", { branch_id })
    expect(after.fields["branch"]).toMatchObject({ status: "completed", end_reason: "budget" })
  })

  test("[C2] a branch over its time ends and accepts no return", async () => {
    await using limited = await newLimited()
    const { client } = limited
    const { fields } = await open(client, { timeout_seconds: 1 })
    const branch_id = fields["branch_id"]
    await expect
      .poll(async () => (await client.call("branch_status", { branch_id })).fields["branch"])
      .toMatchObject({ status: "timeout", end_reason: "timeout", is_partial: true })
    const late = await client.call("return", { branch_id, message: "too late" })
    expect(late.failure?.code).toBe("FOLD_ALREADY_COMPLETED")
  })
})
