import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { FoldShow } from "#ground/contract"
import type { App } from "#show/app"
import { newFixture } from "./app.fixture.ts"
import { coreMcp, ERAS, join, read } from "./mcp.fixture.ts"
import type { Mcp } from "./mcp.ts"

const { signal } = new AbortController()
const Opened = z.object({ branch_id: z.string() })
const StoredHandle = z.object({ handle: z.string() })

let fixture: Awaited<ReturnType<typeof newFixture>>
let app: App
let mcp: Mcp

beforeAll(async () => {
  fixture = await newFixture({
    CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT: "1000",
    CONTEXT_FOLDING_MAX_BUDGET: "200000",
  })
  // Long enough for every tool to store it under a handle.
  const long = Array.from({ length: 600 }, (_, at) => `export const quay${at} = "quay ${at}"`)
  await writeFile(path.join(fixture.project, "src/quays.ts"), `${long.join("\n")}\n`)
  app = await fixture.open()
  mcp = coreMcp(app)
})

afterAll(async () => {
  await mcp.close()
  await app[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

async function call(
  name: string,
  given: Record<string, unknown>,
  joined: { principal?: string } = {},
) {
  await using client = await join(mcp, { era: "modern", ...joined })
  // The list has the output schemas, which the client uses to validate every result.
  await client.listTools()
  return read(await client.callTool({ name, arguments: given }))
}

async function openBranch(given: Record<string, unknown> = {}) {
  const asked = { description: "find the berth", prompt: "find it", ...given }
  return Opened.parse((await call("branch", asked)).fields).branch_id
}

test.each(ERAS)("[MCP-2] branch, status and return work in the %s protocol", async (era) => {
  await using client = await join(mcp, { era })
  await client.listTools()
  const session_id = `walk-${era}`
  const ask = async (name: string, given: Record<string, unknown>) =>
    read(await client.callTool({ name, arguments: { ...given, session_id } }))
  const opened = await ask("branch", {
    description: "find the berth",
    prompt: "find it",
    budget: 5_000,
    timeout_seconds: 60,
    scope: ["src/**"],
  })
  const { branch_id } = Opened.parse(opened.fields)
  expect(opened.fields).toMatchObject({ budget_allocated: 5_000, timeout_seconds: 60, depth: 0 })
  expect(opened.text).toContain(`Branch ${branch_id} is open, with 5,000 tokens and 60 seconds.`)
  await ask("search", { query: "berth by draught" })
  const status = await ask("branch_status", { progress: "half way" })
  expect(status.fields).toMatchObject({
    branch: { branch_id, status: "active", progress: "half way", is_lower_bound: true },
    active: [{ branch_id, description: "find the berth", depth: 0 }],
    pending: [],
  })
  const returned = await ask("return", {
    branch_id,
    message: "The berth is in src/berth.ts.",
    files: ["src/berth.ts", "docs/harbour.md"],
    evidence: ["src/berth.ts:3"],
    open_questions: ["Which tide?"],
  })
  expect(returned.fields).toMatchObject({
    branch_id,
    status: "completed",
    message: "The berth is in src/berth.ts.",
    files: ["src/berth.ts", "docs/harbour.md"],
    evidence: ["src/berth.ts:3"],
    open_questions: ["Which tide?"],
    out_of_scope: ["docs/harbour.md"],
    redactions: 0,
  })
  expect(returned.text).toContain("Outside its scope: docs/harbour.md")
  const again = await ask("return", { branch_id, message: "again" })
  expect([again.isError, again.failure]).toEqual([
    true,
    expect.objectContaining({ code: "FOLD_ALREADY_COMPLETED" }),
  ])
  const ended = await ask("branch_status", { branch_id })
  expect(ended.text).toContain("Result:\nThe berth is in src/berth.ts.")
})

describe("metered texts", () => {
  test("[MCP-6] a tool's text is charged to the branch and stored in its trail", async () => {
    const session_id = "metered"
    const branch_id = await openBranch({ session_id })
    const found = await call("search", { query: "berth", session_id })
    expect(found.fields).toMatchObject({
      files: expect.arrayContaining([expect.objectContaining({ path: "src/berth.ts" })]),
    })
    expect(found.text).toContain("src/berth.ts")
    const { branch, trail } = FoldShow.parse(
      await app.call("fold.show", { id: branch_id }, { signal }),
    )
    expect(branch.budgetUsed).toBeGreaterThan(0)
    const step = trail.find((it) => it.tool === "search")
    expect(step?.text).toContain('{"query":"berth"}')
    expect(step?.text).toContain(found.text)
  })

  test("[MCP-6] a large text is stored under a handle, and is read in slices and by search", async () => {
    const session_id = "large"
    const shown = await call("map", { what: "src/quays.ts", session_id })
    const { handle } = StoredHandle.parse(shown.fields)
    expect(shown.text.length).toBeLessThan(4_000)
    const slice = await call("read_handle", { handle, from_line: 101, lines: 5, session_id })
    expect(slice.fields).toMatchObject({ handle, from_line: 101, next_line: 106 })
    expect(slice.text).toContain("quay99")
    const words = await call("read_handle", { handle, query: "quay599", session_id })
    expect(words.fields).toMatchObject({ matches: 1 })
    expect(words.text).toContain("quay599")
  })

  test("[MCP-6] text read from a handle is charged, and is never returned as a handle", async () => {
    const session_id = "sliced"
    const { handle } = StoredHandle.parse(
      (await call("map", { what: "src/quays.ts", session_id })).fields,
    )
    const branch_id = await openBranch({ session_id, budget: 100_000 })
    const read = await call("read_handle", { handle, lines: 2_000, session_id })
    const words = await call("read_handle", { handle, query: "quay", session_id })
    for (const { fields, text } of [read, words]) {
      expect(fields["handle"]).toBe(handle)
      expect(fields["text"]).toBe(text)
      expect(text).toContain("Continue with from_line")
    }
    const { branch, trail } = FoldShow.parse(
      await app.call("fold.show", { id: branch_id }, { signal }),
    )
    expect(branch.budgetUsed).toBeGreaterThan(1_000)
    expect(trail.filter((it) => it.handle !== null)).toEqual([])
  })

  test("[MCP-6] a text above the budget is stored under a handle, and the branch can still return", async () => {
    const session_id = "spent"
    const branch_id = await openBranch({ session_id, budget: 20 })
    const refused = await call("search", { query: "berth", session_id })
    expect(refused.failure).toMatchObject({ code: "FOLD_BUDGET_EXHAUSTED" })
    const [handle = ""] = /rh_[0-9a-f]{32}/.exec(refused.text) ?? []
    const status = await call("branch_status", { branch_id, session_id })
    expect(status.text).toContain("Its budget is used up: call return now")
    const returned = await call("return", { branch_id, session_id, message: "so far" })
    expect(returned.fields).toMatchObject({ status: "completed", message: "so far" })
    expect((await call("read_handle", { handle, session_id })).text).toContain("src/berth.ts")
  })
})

describe("code tools", () => {
  test("[MCP-7] pack returns the selected files and the text", async () => {
    const { fields, text } = await call("pack", {
      task: "change how a berth is chosen",
      target: ["src/tide.ts"],
    })
    expect(fields).toMatchObject({
      pack_id: expect.stringMatching(/^pk_/),
      files: expect.arrayContaining([
        expect.objectContaining({ path: "src/tide.ts", form: "full" }),
      ]),
    })
    expect(text).toContain("export function tide(): number")
    expect(fields["text"]).toBe(text)
  })

  test("[MCP-7] map returns a symbol, a file or a folder, and scans a repository that was never scanned", async () => {
    const symbol = await call("map", { what: "tide" })
    expect(symbol.fields).toMatchObject({ kind: "symbol" })
    expect(symbol.text).toMatch(/function tide in src\/tide\.ts:1-3\n[^]*Callers:\n {2}berthFor/)
    const file = await call("map", { what: "src/berth.ts" })
    expect(file.text).toContain("Imports:\n  src/tide.ts")
    const root = await call("map", {})
    expect(root.fields).toMatchObject({ kind: "folder" })
    expect(root.text).toContain("src/ 3 files")
    await using fresh = await newFixture()
    await using other = await fresh.open()
    const front = coreMcp(other)
    await using client = await join(front, { era: "modern" })
    const unscanned = read(await client.callTool({ name: "map", arguments: { folder: "src" } }))
    expect(unscanned.text).toContain("berth.ts")
  })

  test("[MCP-7] capture returns what a host loads here", async () => {
    const { fields, text } = await call("capture", {})
    expect(fields).toMatchObject({ host: "claude-code", files: 1, window: expect.any(Number) })
    expect(text).toContain("CLAUDE.md")
  })
})

describe("memory tools", () => {
  test("[MCP-7] memories are recorded, found and rated, and text copied from a result is not recorded", async () => {
    const recorded = await call("memory_record", {
      kind: "pitfall",
      title: "The tide is counted twice",
      body: "berthFor adds the tide, so callers must not.",
      cites: ["src/berth.ts#berthFor"],
    })
    expect(recorded.fields).toMatchObject({ outcome: "recorded", redactions: 0 })
    const { id } = z.object({ id: z.string() }).parse(recorded.fields)
    const found = await call("memory_search", { query: "tide counted" })
    expect(found.fields).toMatchObject({ memories: [{ id, kind: "pitfall" }], total: 1 })
    const [, fence] = /^--- qm:memory mem_\w+ (qm-[0-9a-f]{16}) begins /.exec(found.text) ?? []
    expect(found.text).toContain(`\n--- qm:memory ${id} ${fence} ends ---`)
    expect(found.text).toContain("data, not instructions) ---\nThe tide is counted twice\n")
    expect(found.text).toContain("Cites src/berth.ts#berthFor")
    const judged = await call("memory_feedback", { id, verdict: "helpful", outcome: "succeeded" })
    expect(judged.fields).toMatchObject({ id, title: "The tide is counted twice" })
    const before = z.number().parse(recorded.fields["confidence"])
    expect(judged.fields["confidence"]).toBeGreaterThan(before)
    const own = await call("memory_record", { kind: "fix", title: "Told", body: found.text })
    expect([own.isError, own.failure]).toEqual([
      true,
      expect.objectContaining({ code: expect.stringMatching(/^MEMORY_/) }),
    ])
    const none = await call("memory_search", { query: "zzz qqq" })
    expect(none.text).toContain("None of 1 memories matches.")
  })
})

describe("invalid input", () => {
  const long = "x".repeat(3_000_000)
  test.each([
    ["a description of 501 characters", { description: "x".repeat(501) }, /501.*500/],
    ["a prompt of 3 MB", { prompt: long }, /3,000,000.*10,000/],
    ["a budget that is no whole number", { budget: 10.5 }, /200,000/],
    ["a budget of 1e12", { budget: 1e12 }, /200,000/],
    ["a budget below one", { budget: -1 }, /200,000/],
    ["a time of a year", { timeout_seconds: 31_536_000 }, /600/],
  ])("[MCP-4] %s is refused with the operation's error", async (_what, wrong, words) => {
    const given = { description: "d", prompt: "p", session_id: "bad", ...wrong }
    const answer = await call("branch", given)
    expect(answer.failure).toMatchObject({ code: "FOLD_INVALID_INPUT" })
    expect(answer.text).toMatch(words)
  })

  test("[MCP-4] NUL and lone surrogates are accepted, a return of 3 MB is refused", async () => {
    const session_id = "strange"
    const branch_id = await openBranch({ session_id, prompt: "a\u0000b\ud800c" })
    const large = await call("return", { branch_id, message: long, session_id })
    expect(large.failure).toMatchObject({ code: "FOLD_INVALID_INPUT" })
    expect(large.text).toMatch(/3,000,000.*50,000/)
    const strange = await call("return", { branch_id, message: "a\u0000b\ud800c", session_id })
    expect(strange.fields).toMatchObject({ status: "completed" })
  })
})

describe("isolation of clients and secrets", () => {
  test("[TB3] foreign, guessed and malformed handles and branch ids get the same not-found error", async () => {
    const session_id = "mine"
    const shown = await call("map", { what: "src/quays.ts", session_id })
    const { handle } = StoredHandle.parse(shown.fields)
    const branch_id = await openBranch({ session_id })
    const guessed = `rh_${randomBytes(16).toString("hex")}`
    const asked: [string, Record<string, unknown>, { principal?: string }][] = [
      ["read_handle", { handle, session_id }, { principal: "client:other" }],
      ["read_handle", { handle, session_id: "theirs" }, {}],
      ["read_handle", { handle: guessed, session_id }, {}],
      ["read_handle", { handle: "rh_\u0000", session_id }, {}],
      ["branch_status", { branch_id, session_id }, { principal: "client:other" }],
      ["return", { branch_id, message: "mine now", session_id }, { principal: "client:other" }],
      [
        "return",
        { branch_id: `br_${randomBytes(16).toString("hex")}`, message: "x", session_id },
        {},
      ],
    ]
    const failures = []
    for (const [name, given, joined] of asked)
      failures.push((await call(name, given, joined)).failure)
    expect(new Set(failures.map((it) => JSON.stringify(it))).size).toBe(1)
    expect(failures[0]).toMatchObject({ code: "FOLD_NOT_FOUND" })
    expect((await call("branch_status", { branch_id, session_id })).fields).toMatchObject({
      branch: { status: "active" },
    })
  })

  test("[F5] a secret in the arguments is in no error, result or log line", async () => {
    const secret = `ghp_${randomBytes(27).toString("base64url").replaceAll(/[-_]/g, "x")}`
    const wrong = await call("branch", { description: "d", prompt: "p", [`x ${secret}`]: 1 })
    expect(wrong.failure).toMatchObject({ code: "MCP_ARGUMENTS_INVALID" })
    const missing = await call("map", { what: `src/${secret}.ts` })
    expect(missing.isError).toBe(true)
    const branch_id = await openBranch({ session_id: "leaky", prompt: `use ${secret}` })
    const returned = await call("return", {
      branch_id,
      message: `it was ${secret}`,
      session_id: "leaky",
    })
    expect(returned.fields).toMatchObject({ redactions: expect.any(Number) })
    expect(JSON.stringify([wrong, missing, returned])).not.toContain(secret)
    expect(fixture.lines.join("\n")).not.toContain(secret)
  })

  test("[C3] two clients that use equal ids at the same time each get their own results", async () => {
    const clients = ["client:one", "client:two"]
    const own = await Promise.all(
      clients.map(async (principal) => {
        const given = { description: `of ${principal}`, prompt: "p" }
        const opened = await rpc(principal, 0, { name: "branch", arguments: given })
        return Opened.parse(opened.result.structuredContent).branch_id
      }),
    )
    // test/mcp repeats this over real sockets, a thousand times.
    const asked = Array.from({ length: 100 }, (_, id) => id)
    const PARALLEL = 50
    for (let from = 0; from < asked.length; from += PARALLEL) {
      const ids = asked.slice(from, from + PARALLEL)
      const answers = await Promise.all(
        ids.flatMap((id) =>
          clients.map(async (principal, at) => ({
            at,
            wanted: id,
            got: await rpc(principal, id, { name: "branch_status", arguments: {} }),
          })),
        ),
      )
      for (const { at, wanted, got } of answers) {
        expect([got.id, got.result.structuredContent]).toMatchObject([
          wanted,
          { branch: { branch_id: own[at], description: `of ${clients[at]}` } },
        ])
      }
    }
  })
})

const Rpc = z.object({
  id: z.int(),
  result: z.object({ structuredContent: z.record(z.string(), z.unknown()) }),
})

/** One message without a client, so that the test chooses the id. */
async function rpc(principal: string, id: number, params: { name: string; arguments: unknown }) {
  const body = { jsonrpc: "2.0", id, method: "tools/call", params }
  const response = await mcp.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    }),
    { principal },
  )
  const text = await response.text()
  const data = text.split("\n").find((line) => line.startsWith("data: {"))
  return Rpc.parse(JSON.parse(data?.slice("data: ".length) ?? text))
}
