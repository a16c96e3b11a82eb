import { describe, expect, test } from "vitest"
import {
  GatewayManifest,
  type GatewayRequest,
  GatewayShow,
  GatewayTexts,
  type ProxiedSession,
} from "#ground/contract"
import { createScreen, type Screen, visibleDeep } from "../terminal/screen.ts"
import { item, proxiedSession, request, totals } from "./gateway.fixture.ts"
import { renderGatewayList, renderGatewayShow } from "./gateway.ts"
import { renderGatewayRequest, renderGatewayTexts } from "./gateway-request.ts"

const at80 = createScreen({ isColored: false, columns: 80 })
const at120 = createScreen({ isColored: false, columns: 120 })
const SESSION_ID = "gw_0mhx4w2ka7vq31c9f5d"
const RUN = "rn_0mhx4w1zz0q8r5t2b6k"

function widestOf(text: string): number {
  return Math.max(...text.split("\n").map((it) => Array.from(it).length))
}

function show(requests: readonly GatewayRequest[], screen: Screen = at80): string {
  const whole = { sessions: [proxiedSession], requests, earlier: 0, totals }
  return renderGatewayShow(GatewayShow.parse(visibleDeep(whole)), screen)
}

describe("[CLI-13] a list of proxied sessions fits the screen", () => {
  const real = {
    ...proxiedSession,
    id: SESSION_ID,
    run: RUN,
    startedAt: Date.UTC(2026, 10, 16, 8, 5),
  }
  const many = { ...real, requests: 1_234, folds: 567, endedAt: 5 }
  const sessions: ProxiedSession[] = [real, many, { ...real, run: null, mode: "record" }]

  test("[CLI-13] at 80 columns each session has a second line", () => {
    const text = renderGatewayList({ sessions }, at80)
    expect(text).toMatchInlineSnapshot(`
      "gw_0mhx4w2ka7vq31c9f5d  ● open   fold    claude rn_0mhx4w1zz0q8r5t2b6k
        2 requests, 1 folded, since 2026-11-16 08:05
      gw_0mhx4w2ka7vq31c9f5d  ○ ended  fold    claude rn_0mhx4w1zz0q8r5t2b6k
        1,234 requests, 567 folded, since 2026-11-16 08:05
      gw_0mhx4w2ka7vq31c9f5d  ● open   record  claude
        2 requests, 1 folded, since 2026-11-16 08:05

      Show the newest with \`qm gateway show last\`."
    `)
    expect(widestOf(text)).toBeLessThanOrEqual(80)
  })

  test("[CLI-13] at 120 columns each session has one line", () => {
    const text = renderGatewayList({ sessions }, at120)
    expect(text).toMatchInlineSnapshot(`
      "gw_0mhx4w2ka7vq31c9f5d  ● open   fold    2 requests, 1 folded        2026-11-16 08:05  claude rn_0mhx4w1zz0q8r5t2b6k
      gw_0mhx4w2ka7vq31c9f5d  ○ ended  fold    1,234 requests, 567 folded  2026-11-16 08:05  claude rn_0mhx4w1zz0q8r5t2b6k
      gw_0mhx4w2ka7vq31c9f5d  ● open   record  2 requests, 1 folded        2026-11-16 08:05  claude

      Show the newest with \`qm gateway show last\`."
    `)
    expect(widestOf(text)).toBeLessThanOrEqual(120)
  })

  test("[CLI-13] session titles of any kind fit, also in colours", () => {
    const long = { ...many, title: "a-command-with-a-very-long-name-".repeat(5) }
    for (const columns of [60, 80, 100, 120]) {
      const plain = createScreen({ isColored: false, columns })
      const text = renderGatewayList({ sessions: [long, real] }, plain)
      expect(widestOf(text)).toBeLessThanOrEqual(columns)
      const colored = createScreen({ isColored: true, columns })
      const painted = renderGatewayList({ sessions: [long, real] }, colored)
      expect(painted.replace(/\u001b\[[0-9;]*m/g, "")).toBe(text)
    }
  })
})

describe("[CLI-13] token-count requests", () => {
  const count = (seq: number, more: Record<string, unknown> = {}) =>
    request(seq, { route: "count", usage: null, costUsd: null, ...more })
  const rowsOf = (text: string) => text.split("\n").filter((it) => /^ +\d+ {2}/.test(it))

  test("[CLI-13] consecutive token-count requests are one line with their time", () => {
    const counts = Array.from({ length: 30 }, (_, at) => count(at + 2))
    const rows = rowsOf(show([request(1), ...counts, request(32), count(33)]))
    expect(rows.map((it) => it.replace(/ {2}model.*/, ""))).toEqual([
      "  1  00:00:01",
      "  2  30 counts, 00:00:02 to 00:00:31",
      " 32  00:00:32",
      " 33  1 count, 00:00:33",
    ])
  })

  test("[CLI-13] token-count requests do not displace turns", () => {
    const counts = Array.from({ length: 100 }, (_, at) => count(at + 2))
    const text = show([request(1), ...counts])
    expect(rowsOf(text)).toHaveLength(2)
    expect(text).not.toContain("not shown")
    const turns = Array.from({ length: 60 }, (_, at) => request(at + 200))
    expect(show([request(1), ...counts, ...turns])).toContain("101 earlier requests not shown")
  })

  test("[CLI-13] a failed token-count request has its own row, and those of another session their own line", () => {
    const failed = count(3, { outcome: "refused", status: 429 })
    const rows = rowsOf(
      show([count(2), failed, count(4), count(1, { proxiedSession: SESSION_ID })]),
    )
    expect(rows.map((it) => it.split("  ")[2])).toEqual([
      "1 count, 00:00:02",
      "00:00:03",
      "1 count, 00:00:04",
      "1 count, 00:00:01",
    ])
    expect(rows[1]).toMatch(/count +– +– +– +– .*refused 429/)
  })

  test("[CLI-13] a token-count request, printed alone, states that it cost nothing", () => {
    const given = { request: count(2), items: [], headers: [] }
    const [first] = renderGatewayRequest(GatewayManifest.parse(given), at80).split("\n")
    expect(first).toBe("1,000 tokens (counted by qm), a token count, which costs nothing")
  })
})

describe("[CLI-13] new items with their reasons", () => {
  const newsOf = (...added: readonly object[]) =>
    show([request(1, { added })], at120)
      .split("\n")
      .find((it) => it.includes("+"))
      ?.trim()

  test("[CLI-13] the most informative kind comes first, with its reason", () => {
    const news = newsOf(
      item("other", "billing"),
      item("prompt", "system"),
      item("tool", "Read"),
      item("user", "user"),
      item("call", "Read"),
      item("result", "Bash", { why: "npm test" }),
      item("result", "Read", { context: "files", why: "src/x.ts" }),
      item("instructions", "/work/sub/CLAUDE.md", { why: "with Read sub/x.ts" }),
    )
    expect(news).toMatch(
      /^\+9\.9k: result Read \(src\/x\.ts\), instructions sub\/CLAUDE\.md \(with Read sub\/x\.ts\), result Bash/,
    )
    const few = newsOf(item("other", "settings"), item("prompt", "system"), item("user", "user"))
    expect(few).toBe("+3.7k: user, prompt system, other settings")
  })

  test("[CLI-13] of many items with reasons the first two are named and the others counted", () => {
    const read = (why: string) => item("result", "Read", { context: "files", why })
    expect(newsOf(read("a.ts"), read("b.ts"), read("c.ts"), read("d.ts"))).toBe(
      "+4.9k: result Read (a.ts), result Read (b.ts), 2 more × result",
    )
  })

  test("[CLI-13] a side request outside the conversation is marked", () => {
    const title = request(2, { kinds: [{ kind: "history", tokens: 9 }] })
    const text = show([request(1), title])
    expect(text).toMatch(/^ {2}2 .*\n {5}outside the conversation$/m)
    expect(show([title])).not.toContain("beside")
    expect(show([request(1, { session: "s2" }), title])).not.toContain("beside")
  })

  test("[CLI-13] a request lists its items within the screen", () => {
    const long = `/work/${"deep/".repeat(20)}CLAUDE.md`
    const items = [
      item("instructions", long, { path: long, isConfirmed: true, why: "with Read sub/x.ts" }),
      item("result", "Read", { why: `src/${"y".repeat(100)}.ts` }),
      item("tool", "Edit", { isDeferred: true }),
      item("instructions", "CLAUDE.md", { isConfirmed: false }),
    ]
    const given = { request: request(2, { proxiedSession: SESSION_ID }), items, headers: [] }
    for (const screen of [at80, at120]) {
      const text = renderGatewayRequest(GatewayManifest.parse(given), screen)
      expect(widestOf(text)).toBeLessThanOrEqual(screen.width)
      expect(text).toMatch(/ 0 .*…\S*deep\/CLAUDE\.md {2}with Read sub\/x\.ts\n/)
      expect(text).toMatch(/ 1 .*Read +src\/y+…\n/)
      expect(text).toMatch(/Edit +loaded later\n/)
      expect(text).toMatch(/CLAUDE\.md +differs from the file/)
    }
  })
})

test("[CLI-23] with a query only the matching lines are printed", () => {
  const lines = [
    { number: 7, text: "const tea = 1" },
    { number: 120, text: "\u001b[2Jtea" },
  ]
  const piece = { ...item("result", "Read"), place: 3, text: "all of it", isCut: true }
  const given = { total: 1, pieces: [{ ...piece, lines, moreLines: 3 }] }
  const text = renderGatewayTexts(GatewayTexts.parse(visibleDeep(given)), at80)
  expect(text).toMatchInlineSnapshot(`
    "3  result Read  1,234 tokens
      Line  Text
      7     const tea = 1
      120   \\x1b[2Jtea
      and 3 more lines; show the whole text without --query"
  `)
})
