import { randomBytes } from "node:crypto"
import { readFile, rename, writeFile } from "node:fs/promises"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import type { StoreLocation } from "#ground/store"
import { sql } from "#ground/store"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { CALL, sessionsFixture } from "#test/sessions-room"
import {
  appendLines,
  claudeAnswer,
  claudeFile,
  claudePrompt,
  claudeResult,
  codexFile,
  codexLine,
  codexStart,
  codexUsage,
  sessionIdOf,
  writeHome,
  writeLines,
} from "#test/transcripts"

const TODAY = Date.UTC(2026, 0, 1)
const CWD = "/w/shop"
const CLAUDE = sessionIdOf("claude")
const CODEX = sessionIdOf("codex")
const text = (words: string) => ({ type: "text", text: words })
const MODEL = "claude-sonnet-4-5"

const at = (minute: number) => ({
  cwd: CWD,
  sessionId: CLAUDE,
  at: TODAY - 3_600_000 + minute * 60_000,
})

function answer(...[id, prompt, block, minute]: readonly [string, number, object, number]) {
  const usage = { input: 10, output: 20, cacheRead: prompt - 10 }
  return claudeAnswer({ id, model: MODEL, usage, blocks: [block] }, at(minute))
}

const LINES = [
  claudePrompt(
    '<context label="memory">\nNever say rounding\n</context>\n\nRound the quotes of harbor',
    at(0),
  ),
  ...answer(
    "m1",
    16_800,
    { type: "tool_use", id: "u1", name: "Read", input: { file_path: "/w/shop/src/quote.ts" } },
    1,
  ),
  claudeResult("u1", "export const roundHalfEven = 1", at(1)),
  ...answer(
    "m2",
    90_000,
    {
      type: "tool_use",
      id: "u2",
      name: "Edit",
      input: { file_path: "/w/shop/src/quote.ts", new_string: "const banker = 2" },
    },
    2,
  ),
  claudeResult("u2", "edited", at(2)),
  {
    type: "system",
    subtype: "compact_boundary",
    timestamp: new Date(at(3).at).toISOString(),
    compactMetadata: { trigger: "auto", preTokens: 91_000, postTokens: 20_500 },
  },
  ...answer("m3", 20_700, text("The quotes are rounded half to even"), 4),
]

async function makeFixture(location?: StoreLocation) {
  const it = await sessionsFixture(location)
  await writeLines(claudeFile(it.home, CWD, CLAUDE), LINES)
  const minute = TODAY - 7_200_000
  const patch = "*** Begin Patch\n*** Update File: src/pier.ts\n+const pier = 3\n*** End Patch"
  await writeLines(codexFile(it.home, CODEX, minute), [
    ...codexStart({ id: CODEX, cwd: "/w/other", model: "gpt-5-codex", at: minute }),
    codexLine("event_msg", { type: "user_message", message: "Fix the pier of the harbor" }, minute),
    codexLine(
      "event_msg",
      {
        type: "item_completed",
        item: { type: "UserMessage", content: [text("Fix the pier of the harbor")] },
      },
      minute,
    ),
    codexUsage({ input: 9_000, cacheRead: 2_000, output: 90 }, minute),
    codexLine(
      "response_item",
      { type: "custom_tool_call", name: "apply_patch", call_id: "c1", input: patch },
      minute,
    ),
    codexLine(
      "response_item",
      { type: "custom_tool_call_output", call_id: "c1", output: "Done" },
      minute,
    ),
    codexLine("compacted", { message: "" }, minute + 1_000),
    codexLine("event_msg", { type: "context_compacted" }, minute + 1_001),
    codexUsage({ input: 13_000, cacheRead: 3_000, output: 190 }, minute + 2_000),
  ])
  return it
}

async function imported(location?: StoreLocation) {
  const it = await makeFixture(location)
  await it.index.import({ scope: "machine" }, CALL)
  return it
}

const CountRow = z.object({ count: z.coerce.number() })
async function counts({ db }: Awaited<ReturnType<typeof makeFixture>>) {
  const count = async (query: Parameters<typeof db.run>[0]) =>
    (await db.get(CountRow, query))?.count
  return {
    lines: await count(sql`SELECT count(*) AS count FROM session_lines`),
    calls: await count(sql`SELECT count(*) AS count FROM session_calls`),
    compactions: await count(sql`SELECT count(*) AS count FROM session_compactions`),
    edits: await count(sql`SELECT coalesce(sum(edits), 0) AS count FROM session_paths`),
  }
}
const ALL = { lines: 9, calls: 5, compactions: 2, edits: 2 }

function expectations(open: () => StoreLocation | undefined | Promise<StoreLocation>) {
  test("[SESSIONS-1] a session has title, repository, branch, model, turns, peak, files and times", async () => {
    await using it = await imported(await open())
    const { sessions, total } = await it.index.list({ limit: 10 }, CALL)
    expect(total).toBe(2)
    expect(sessions[0]).toEqual({
      id: CLAUDE,
      host: "claude-code",
      title: "Round the quotes of harbor",
      cwd: CWD,
      repository: CWD,
      branch: "main",
      version: "2.1.325",
      models: [MODEL],
      turns: 1,
      peakTokens: 91_000,
      windowTokens: null,
      context: [16_800, 90_000, 20_700],
      compactions: 1,
      subAgents: 0,
      files: 1,
      spend: expect.objectContaining({ calls: 3, price: "known" }),
      startedAt: at(0).at,
      endedAt: at(4).at,
    })
    expect(sessions[1]).toMatchObject({
      id: CODEX,
      host: "codex",
      title: "Fix the pier of the harbor",
      repository: "/w/other",
      turns: 1,
      windowTokens: 258_400,
      compactions: 1,
      files: 1,
    })
    expect(await counts(it)).toEqual(ALL)
  })

  test("[SESSIONS-4] appended lines are indexed once, and unchanged transcripts are not read", async () => {
    await using it = await imported(await open())
    expect(await it.index.import({ scope: "machine" }, CALL)).toMatchObject({ files: 0, lines: 0 })
    const file = claudeFile(it.home, CWD, CLAUDE)
    const more = [
      claudePrompt("Now the invoices", at(10)),
      ...answer("m4", 22_000, text("Invoices too"), 11),
    ]
    const half = JSON.stringify(claudePrompt("Half a line", at(12)))
    await appendLines(file, more)
    await writeFile(file, half.slice(0, 40), { flag: "a" })
    expect(await it.open().import({ scope: "machine" }, CALL)).toMatchObject({ files: 1, lines: 2 })
    await writeFile(file, `${half.slice(40)}\n`, { flag: "a" })
    expect(await it.index.import({ scope: "machine" }, CALL)).toMatchObject({ files: 1, lines: 1 })
    const { session, compactions } = await it.index.show({ session: CLAUDE }, CALL)
    expect(session).toMatchObject({ turns: 3, title: "Round the quotes of harbor", compactions: 1 })
    expect(compactions).toEqual([
      { at: at(3).at, turn: 1, cause: "auto", tokensBefore: 91_000, tokensAfter: 20_500 },
    ])
    expect(await counts(it)).toEqual({ ...ALL, lines: 12, calls: 6 })
  })

  test("[SESSIONS-5] a transcript that was replaced is indexed anew", async () => {
    await using it = await imported(await open())
    const file = claudeFile(it.home, CWD, CLAUDE)
    const others = Array.from({ length: 60 }, (_, n) => claudePrompt(`Anchor number ${n}`, at(n)))
    await writeLines(`${file}.new`, others)
    await rename(`${file}.new`, file)
    await it.index.import({ scope: "machine" }, CALL)
    const found = await it.index.search({ query: "banker", limit: 10 }, CALL)
    expect(found.hits).toEqual([])
    expect(
      (await it.index.search({ query: "anchor", session: CLAUDE, limit: 100 }, CALL)).hits,
    ).toHaveLength(60)
    expect((await it.index.show({ session: CLAUDE }, CALL)).session).toMatchObject({
      turns: 60,
      files: 0,
    })
  })

  test("[SESSIONS-7] search finds words, parts of identifiers and prefixes, one line per session", async () => {
    await using it = await imported(await open())
    const search = async (query: string, more: { session?: string; host?: string } = {}) =>
      (await it.index.search({ query, limit: 10, ...more }, CALL)).hits
    expect((await search("harbor")).map((hit) => hit.session).toSorted()).toEqual(
      [CLAUDE, CODEX].toSorted(),
    )
    expect((await search("harbor", { host: "codex" })).map((hit) => hit.session)).toEqual([CODEX])
    const [read] = await search("half even", { session: CLAUDE })
    expect(read).toMatchObject({ title: "Round the quotes of harbor", matches: 2 })
    expect((await search("roundHalfEven"))[0]).toMatchObject({
      line: { role: "result", tool: "Read", turn: 1 },
      excerpt: "export const roundHalfEven = 1",
    })
    expect((await search("const bank"))[0]).toMatchObject({ line: { role: "edit", tool: "Edit" } })
    expect(await search("harbor banker")).toEqual([])
    expect(await search("memory never")).toEqual([])
  })

  test("[SESSIONS-8] the window at each call, with compactions from the host or the calls around them", async () => {
    await using it = await imported(await open())
    const context = await it.index.context(
      { session: CLAUDE.slice(0, 6), agent: "main", limit: 100 },
      CALL,
    )
    expect(context.points.map(({ turn, tokens, added }) => [turn, tokens, added])).toEqual([
      [1, 16_800, 16_800],
      [1, 90_000, 73_200],
      [1, 20_700, -69_300],
    ])
    for (const { parts, tokens } of context.points) {
      expect(parts.start + parts.files + parts.results + parts.conversation).toBe(tokens)
    }
    const [first, second, third] = context.points.map((it) => it.parts)
    expect(first).toEqual({ start: 16_800, files: 0, results: 0, conversation: 0 })
    expect(second?.files, "the result of Read").toBeGreaterThan(0)
    expect(third, "the compaction removed it").toMatchObject({ files: 0, results: 0 })
    const entered = await it.index.lines({
      session: CLAUDE,
      after: 0,
      limit: 10,
      agent: "main",
      from: at(1).at + 1,
      until: at(2).at + 1,
    })
    expect(entered.lines.map((it) => it.role)).toEqual(["edit", "result"])
    for (const line of entered.lines) {
      expect(line.tokens, line.role).toBeGreaterThan(0)
      expect(line.tokens, line.role).toBeLessThan(line.sizeBytes)
    }
    expect(context).toMatchObject({ peakTokens: 91_000, left: 0 })
    expect(context.compactions).toMatchObject([{ tokensBefore: 91_000, tokensAfter: 20_500 }])
    const codex = await it.index.context({ session: CODEX, agent: "main", limit: 1 }, CALL)
    expect(codex).toMatchObject({ windowTokens: 258_400, left: 1 })
    const whole = await it.index.context({ session: CODEX, agent: "main", limit: 9 }, CALL)
    expect(whole.compactions).toMatchObject([{ tokensBefore: 9_000, tokensAfter: 4_000 }])
  })
}

describe("on SQLite", () => {
  expectations(() => undefined)
})

describe.runIf(needs("SESSIONS-7", "postgres"))("on Postgres", () => {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())
  expectations(async () => ({ kind: "postgres", url: await cluster.createDatabase() }))
})

test("[SESSIONS-2] nothing is indexed before the user agreed, and waiting transcripts are counted", async () => {
  await using it = await makeFixture()
  const before = await it.index.list({ limit: 10 }, CALL)
  expect(before).toMatchObject({ sessions: [], import: { setting: "ask", waitingFiles: 2 } })
  it.settings.import = "machine"
  const after = await it.index.list({ limit: 10 }, CALL)
  expect(after.sessions).toHaveLength(2)
  expect(after.import).toMatchObject({ waitingFiles: 0, waitingBytes: 0, isRunning: false })
})

test("[SESSIONS-3] an import of this repository leaves out others, until all are wanted", async () => {
  await using it = await makeFixture()
  expect(await it.index.import({ scope: "repository" }, CALL)).toMatchObject({ sessions: 1 })
  expect((await it.index.list({ limit: 10 }, CALL)).sessions.map((one) => one.id)).toEqual([CLAUDE])
  expect(await it.index.import({ scope: "repository" }, CALL)).toMatchObject({ files: 0 })
  expect(await it.index.import({ scope: "machine" }, CALL)).toMatchObject({ sessions: 1 })
  expect(await counts(it)).toEqual(ALL)
})

test("[SESSIONS-6] no secret of a transcript is stored, not even half of one", async () => {
  await using it = await sessionsFixture()
  const secret = `ghp_${randomBytes(18).toString("hex")}`
  const long = `${"word ".repeat(1_599)}${secret} and more ${secret} ${"x ".repeat(5_000)}`
  await writeLines(claudeFile(it.home, CWD, CLAUDE), [
    claudePrompt(`Use ${secret} for the release`, at(0)),
    ...answer(
      "m1",
      100,
      {
        type: "tool_use",
        id: "u1",
        name: "Bash",
        input: { command: `curl -H "Authorization: Bearer ${secret}"` },
      },
      1,
    ),
    claudeResult("u1", long, at(2)),
  ])
  await it.index.import({ scope: "machine" }, CALL)
  const Row = z.object({ text: z.string() })
  const stored = [
    ...(await it.db.all(Row, sql`SELECT body AS text FROM session_lines`)),
    ...(await it.db.all(Row, sql`SELECT title AS text FROM sessions`)),
    ...(await it.db.all(Row, sql`SELECT state AS text FROM session_files`)),
  ]
  const all = stored.map((row) => row.text).join("\n")
  expect(all).toContain("for the release")
  for (let from = 4; from + 8 <= secret.length; from++)
    expect(all).not.toContain(secret.slice(from, from + 8))
})

test("[SESSIONS-4] an import that is cancelled keeps what it committed and continues there", async () => {
  await using it = await sessionsFixture()
  await writeHome({
    home: it.home,
    cwd: CWD,
    claude: 2,
    codex: 1,
    totalBytes: 6_000_000,
    startedAt: TODAY,
  })
  const controller = new AbortController()
  const cancelled = it.index.import(
    { scope: "machine" },
    { signal: controller.signal, onProgress: ({ done }) => done === 1 && controller.abort() },
  )
  await expect(cancelled).rejects.toMatchObject({ name: "AbortError" })
  const part = await counts(it)
  expect(part.lines).toBeGreaterThan(0)
  await it.index.import({ scope: "machine" }, CALL)
  const whole = await counts(it)
  await using fresh = await sessionsFixture()
  await writeHome({
    home: fresh.home,
    cwd: CWD,
    claude: 2,
    codex: 1,
    totalBytes: 6_000_000,
    startedAt: TODAY,
  })
  await fresh.index.import({ scope: "machine" }, CALL)
  expect(whole).toEqual(await counts(fresh))
})

test("[SESSIONS-7] a common word in one long session does not hide the others", async () => {
  await using it = await sessionsFixture()
  const write = (name: string, at: number, words: readonly string[]) => {
    const sessionId = sessionIdOf(name)
    const lines = words.map((one) => claudePrompt(one, { cwd: "/w/shop", sessionId, at }))
    return writeLines(claudeFile(it.home, "/w/shop", sessionId), lines)
  }
  const now = it.clock.now()
  await write("old", now - 9_000, ["Feed the gull"])
  await write(
    "long",
    now - 5_000,
    Array.from({ length: 2_100 }, (_, at) => `gull ${at}`),
  )
  await write("new", now - 1_000, ["Paint the gull", "Paint the gull and the pier"])
  await it.index.import({ scope: "machine" }, CALL)
  const { hits } = await it.index.search({ query: "gull", limit: 10 }, CALL)
  expect(hits.map((one) => [one.title, one.matches])).toEqual([
    ["gull 0", 100],
    ["Feed the gull", 1],
    ["Paint the gull", 2],
  ])
})

test("[SESSIONS-4] two imports at the same time store each line once", async () => {
  await using it = await sessionsFixture()
  await writeHome({
    home: it.home,
    cwd: CWD,
    claude: 2,
    codex: 1,
    totalBytes: 5_000_000,
    startedAt: TODAY,
  })
  await Promise.all([
    it.open().import({ scope: "machine" }, CALL),
    it.open().import({ scope: "machine" }, CALL),
  ])
  await it.index.import({ scope: "machine" }, CALL)
  const both = await counts(it)
  await using fresh = await sessionsFixture()
  await writeHome({
    home: fresh.home,
    cwd: CWD,
    claude: 2,
    codex: 1,
    totalBytes: 5_000_000,
    startedAt: TODAY,
  })
  await fresh.index.import({ scope: "machine" }, CALL)
  expect(both).toEqual(await counts(fresh))
})

test("[SESSIONS-14] lines that are not JSON, too deep or of unknown kinds are skipped", async () => {
  await using it = await sessionsFixture()
  const file = claudeFile(it.home, CWD, CLAUDE)
  await writeLines(file, LINES)
  const good = await readFile(file, "utf8")
  const bad = [
    "{",
    "[]",
    '"x"',
    "null",
    '{"type":"constructor"}',
    '{"type":"user","message":7}',
    '{"type":"assistant","message":{"content":[null,{"type":"tool_use"}],"usage":{"input_tokens":-1}}}',
    `{"type":"user","message":{"content":"\\u0000\\ud800 odd"}}`,
  ]
  await writeFile(file, `${bad.join("\n")}\n${good}`)
  await it.index.import({ scope: "machine" }, CALL)
  const { session } = await it.index.show({ session: CLAUDE }, CALL)
  expect(session).toMatchObject({ peakTokens: 91_000, turns: 2, files: 1 })
})

test("[SESSIONS-15] an unknown id, an ambiguous start and a query without words are named errors", async () => {
  await using it = await imported()
  await expect(it.index.show({ session: "zzz" }, CALL)).rejects.toMatchObject({
    code: "SESSIONS_NOT_FOUND",
  })
  await writeLines(claudeFile(it.home, CWD, `${CLAUDE.slice(0, 12)}-x`), LINES)
  await it.index.import({ scope: "machine" }, CALL)
  const start = { session: CLAUDE.slice(0, 12) }
  await expect(it.index.show(start, CALL)).rejects.toMatchObject({ code: "SESSIONS_AMBIGUOUS" })
  const empty = it.index.search({ query: "?!", limit: 5 }, CALL)
  await expect(empty).rejects.toMatchObject({ code: "SESSIONS_QUERY_EMPTY" })
})

test("[SESSIONS-16] a server answers while it indexes, and continues after the request ended", async () => {
  await using it = await makeFixture()
  it.settings.import = "machine"
  const server = it.open({ staysOpen: true })
  const request = new AbortController()
  const listed = server.list({ limit: 10 }, { signal: request.signal })
  request.abort()
  await listed
  const [first, second] = await Promise.all([
    server.import({ scope: "machine" }, CALL),
    server.import({ scope: "repository" }, CALL),
  ])
  expect([first.skipped, second.skipped]).toEqual([[], []])
  expect(await counts(it)).toEqual(ALL)
})

test("[SESSIONS-16] a server looks for new lines at most every two seconds", async () => {
  await using it = await makeFixture()
  it.settings.import = "machine"
  const server = it.open({ staysOpen: true })
  await server.import({ scope: "machine" }, CALL)
  await appendLines(claudeFile(it.home, CWD, CLAUDE), [claudePrompt("Feed the cormorant", at(99))])
  const found = async () =>
    (await server.search({ query: "cormorant", limit: 5 }, CALL)).hits.length
  expect(await found()).toBe(0)
  await it.clock.advance(2_001)
  expect(await found()).toBe(1)
})
