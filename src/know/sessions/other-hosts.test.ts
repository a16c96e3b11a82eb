import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { CALL, sessionsFixture } from "#test/sessions-room"
import { sessionIdOf, writeLines } from "#test/transcripts"

const timestamp = "2025-12-31T10:00:00.000Z"
const ID = sessionIdOf("other host")

test("[SESSIONS-1] a session of Copilot has its prompts, tools, files, compactions and tokens", async () => {
  await using it = await sessionsFixture()
  const event = (type: string, data: object) => ({ type, data, timestamp })
  const usage = {
    inputTokens: 9_000,
    outputTokens: 100,
    cacheReadTokens: 6_000,
    cacheWriteTokens: 0,
  }
  await writeLines(path.join(it.home, ".copilot/session-state", ID, "events.jsonl"), [
    event("session.start", { sessionId: ID, context: { cwd: "/w/shop", branch: "quay" } }),
    event("user.message", { content: "Paint the lighthouse" }),
    event("tool.execution_start", {
      toolCallId: "t1",
      toolName: "view",
      arguments: { path: "/w/shop/light.ts" },
    }),
    event("tool.execution_complete", {
      toolCallId: "t1",
      success: true,
      result: { content: "export const lamp = 1" },
    }),
    event("session.compaction_complete", { preCompactionTokens: 900, postCompactionTokens: 90 }),
    event("assistant.message", { content: "Painted in white" }),
    event("session.shutdown", { modelMetrics: { "gpt-4.1": { usage } } }),
  ])
  await it.index.import({ scope: "machine" }, CALL)
  const { session, paths, tools, compactions } = await it.index.show({ session: ID }, CALL)
  expect(session).toMatchObject({
    host: "copilot",
    title: "Paint the lighthouse",
    branch: "quay",
    models: ["gpt-4.1"],
    turns: 1,
    peakTokens: null,
    context: [],
    spend: { tokens: { input: 3_000, cacheRead: 6_000, output: 100 }, price: "known" },
  })
  // 3,000 × 2 + 6,000 × 0.50 + 100 × 8 = 9,800 per million.
  expect(session.spend.usd).toBeCloseTo(0.0098, 9)
  expect(paths).toEqual([{ path: "light.ts", reads: 1, edits: 0 }])
  expect(tools).toMatchObject([{ tool: "view", results: 1, bytes: 21 }])
  expect(compactions).toMatchObject([{ tokensBefore: 900, tokensAfter: 90 }])
  expect((await it.index.search({ query: "lamp", limit: 5 }, CALL)).hits).toHaveLength(1)
})

test("[SESSIONS-10] a message that Gemini writes again counts once, with its last tokens", async () => {
  await using it = await sessionsFixture()
  const folder = path.join(it.home, ".gemini/tmp/shop/chats")
  const file = path.join(folder, `session-2025-12-31T10-00-${ID}.jsonl`)
  const answer = (output: number) => ({
    id: "g1",
    type: "gemini",
    timestamp,
    content: "The buoy is green",
    model: "gemini-9-pro",
    tokens: { input: 500, output, cached: 100, thoughts: 5 },
    toolCalls: [
      { id: "t1", name: "read_file", args: { absolute_path: "/w/shop/b.ts" }, resultDisplay: "b" },
    ],
  })
  await writeLines(file, [
    { sessionId: ID, projectHash: "x", startTime: timestamp },
    { id: "u1", type: "user", timestamp, content: [{ text: "Which colour has the buoy" }] },
    answer(10),
    answer(40),
  ])
  await it.index.import({ scope: "machine" }, CALL)
  const { session } = await it.index.show({ session: ID }, CALL)
  expect(session).toMatchObject({
    host: "gemini",
    title: "Which colour has the buoy",
    repository: null,
    spend: { usd: null, price: "unknown", unpricedTokens: 545, calls: 1 },
  })
  expect(
    (await it.index.search({ query: "green", session: ID, limit: 9 }, CALL)).hits,
  ).toHaveLength(1)
  const { tools, paths } = await it.index.show({ session: ID }, CALL)
  expect(tools).toMatchObject([{ tool: "read_file", results: 1 }])
  expect(paths).toMatchObject([{ reads: 1 }])
  expect(await it.open().import({ scope: "repository" }, CALL)).toMatchObject({ files: 0 })
  await writeFile(path.join(it.home, ".gemini/tmp/shop/.project_root"), "/w/shop")
  const other = path.join(folder, "session-2025-12-31T11-00-0a1b2c3d.jsonl")
  await writeLines(other, [
    { id: "u1", type: "user", timestamp, content: [{ text: "Which quay" }] },
  ])
  expect(await it.open().import({ scope: "repository" }, CALL)).toMatchObject({ sessions: 1 })
  const placed = await it.index.show({ session: "0a1b2c3d" }, CALL)
  expect(placed.session).toMatchObject({ repository: "/w/shop", title: "Which quay" })
})
