import { expect, test } from "vitest"
import { GatewayCache, GatewayManifest, GatewayShow, GatewayTexts } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { item, proxiedSession, request, totals } from "./gateway.fixture.ts"
import { renderGatewayList, renderGatewayShow } from "./gateway.ts"
import { renderGatewayCache } from "./gateway-cache.ts"
import {
  renderGatewayDeleted,
  renderGatewayRequest,
  renderGatewayTexts,
} from "./gateway-request.ts"

const screen = createScreen({ isColored: false, columns: 80 })
const HOSTILE = "a\nb\u001b[2J"

const show = (more: Record<string, unknown>, at = screen) => {
  const whole = { sessions: [proxiedSession], requests: [], earlier: 0, totals, ...more }
  return renderGatewayShow(GatewayShow.parse(visibleDeep(whole)), at)
}

test("[CLI-23] proxied sessions are listed, or the next step if there are none", () => {
  expect(renderGatewayList({ sessions: [] }, screen)).toContain("qm gateway run -- claude")
  const gone = { ...proxiedSession, id: "gw_2", isAlive: false, folds: 0, title: "a b" }
  const ended = { ...gone, id: "gw_3", endedAt: 5 }
  expect(
    renderGatewayList({ sessions: [proxiedSession, gone, ended] }, screen),
  ).toMatchInlineSnapshot(`
    "gw_1  ● open   fold  2 requests, 1 folded  1970-01-01 00:00  claude r-1
    gw_2  ◌ lost   fold  2 requests            1970-01-01 00:00  a b r-1
    gw_3  ○ ended  fold  2 requests            1970-01-01 00:00  a b r-1

    Show the newest with \`qm gateway show last\`."
  `)
})

test("[CLI-13] a run prints its totals, then each request with its new items", () => {
  const first = request(1, {
    tokens: 500,
    added: [item("tool", "Read"), item("tool", "Bash"), item("tool", "Edit"), item("user", "user")],
  })
  const second = request(2, {
    folded: [{ branchId: "br_1", bytes: 9, tokens: 403_339 }],
    gone: 63,
    added: [item("result", "Read")],
  })
  expect(show({ requests: [first, second] })).toMatchInlineSnapshot(`
    "2 requests, $0.2500
    24 in, 23,608 read from the cache (98.4 %), 360 written to it, 690 out
    403,339 tokens saved by folding, 1.1 MB

    ● open  claude  gw_1
      fold to https://provider.example, since 1970-01-01 00:00

      #  time      model    in  cached  written  out  held      first byte
      1  00:00:01  model-1  12  11,804      180  345  ▦▦▩▩▩▩▩▩  12 ms
         +4.9k: user, 3 × tool
      2  00:00:02  model-1  12  11,804      180  345  ▦▦▩▩▩▩▩▩  12 ms
         −403,339 tokens folded
         +1.2k: result Read, 63 removed"
  `)
})

test("[CLI-13] deviations from the requested mode are printed", () => {
  const latched = { ...proxiedSession, latchedOff: "the provider refused a folded request (400)" }
  const odd = request(12, {
    usage: null,
    status: 429,
    outcome: "refused",
    route: "count",
    agent: "sub",
    fallback: "it answered 400",
    problem: "the body is no JSON",
  })
  const text = show({ sessions: [latched], requests: [odd] })
  expect(text).toContain("Folding is off: the provider refused a folded request (400)")
  expect(text).toMatch(/12 +00:00:12 +↳ count +– +– +– +– .*refused 429/)
  expect(text).toContain("sent unfolded: it answered 400")
  expect(text).toContain("recorded in part: the body is no JSON")
  expect(show({ sessions: [proxiedSession] })).toContain("No requests are stored.")
})

test("[CLI-13] of many requests the newest are printed, of several sessions each with its id", () => {
  const requests = Array.from({ length: 70 }, (_, at) => request(at + 1))
  const text = show({ requests, earlier: 5 })
  expect(text).toContain("15 earlier requests not shown")
  expect(text).not.toMatch(/^ 10 /m)
  expect(text).toMatch(/^ 11 /m)
  const other = { ...proxiedSession, id: "gw_2" }
  const mixed = [
    request(1),
    request(1, { proxiedSession: "gw_2" }),
    request(2, { proxiedSession: "gw_2" }),
  ]
  const lines = show({ sessions: [proxiedSession, other], requests: mixed }).split("\n")
  expect(lines.filter((it) => it === "gw_1" || it === "gw_2")).toEqual(["gw_1", "gw_2"])
})

test("[CLI-13] rows fit the screen in aligned columns", () => {
  const usage = { input: 123_456, output: 12_345, cacheRead: 999_999, cacheWrite: 123_456 }
  const long = request(100, {
    usage,
    model: "a-model-with-a-very-long-name-20261116",
    added: [item("result", "x".repeat(300)), item("call", HOSTILE)],
  })
  for (const columns of [80, 100, 120]) {
    const at = createScreen({ isColored: false, columns })
    const lines = show({ requests: [long] }, at).split("\n")
    expect(lines.filter((it) => Array.from(it).length > columns)).toEqual([])
  }
  const colored = createScreen({ isColored: true, columns: 100 })
  const plain = show({ requests: [long] }, createScreen({ isColored: false, columns: 100 }))
  const stripped = show({ requests: [long] }, colored).replace(/\u001b\[[0-9;]*m/g, "")
  expect(stripped).toBe(plain)
  expect(stripped).not.toContain("\u001b")
})

const manifest = (more: Record<string, unknown> = {}) =>
  renderGatewayRequest(
    GatewayManifest.parse(
      visibleDeep({
        request: request(2, { added: [item("result", "Read")] }),
        items: [
          item("tool", "Read", { isDeferred: true }),
          item("instructions", "CLAUDE.md", { path: "/work/CLAUDE.md", isConfirmed: true }),
          item("instructions", HOSTILE, { isConfirmed: false, tokens: 5 }),
          item("result", "Read"),
        ],
        headers: [{ name: "user-agent", value: "claude-cli/2.1.325" }],
        ...more,
      }),
    ),
    screen,
  )

test("[CLI-13] a request prints totals by kind, then its items", () => {
  expect(manifest()).toMatchInlineSnapshot(`
    "1,000 tokens (counted by qm), 11,996 counted by the provider
    gw_1 2, model-1, 1970-01-01 00:00, answered in 1.5 s

    Kinds 3
      Kind          Tokens        Parts
      instructions  1,239 tokens  2 parts
      tool          1,234 tokens  1 part
      result        1,234 tokens  1 part

    Parts 4
      Part     Kind            Tokens  Name
         0     tool             1,234  Read             loaded later
         1     instructions     1,234  /work/CLAUDE.md
         2     instructions         5  a\\nb\\x1b[2J      differs from the file
         3  +  result           1,234  Read

    Headers 1
      Header      Value
      user-agent  claude-cli/2.1.325"
  `)
})

test("[CLI-13] a request without the provider's count says so, and a long one is truncated", () => {
  const items = Array.from({ length: 120 }, () => item("user", "user"))
  const text = manifest({ request: request(2, { usage: null, problem: "cut" }), items })
  expect(text).toContain("provider's count unknown")
  expect(text).toContain("\ncut\n")
  expect(text).toContain("and 20 more; --json lists all")
})

test("[CLI-23] texts are indented below their item", () => {
  const piece = { ...item("user", "user"), isCut: false }
  const given = {
    total: 7,
    pieces: [
      { ...piece, place: 3, text: `one\n4  tool Read\n${HOSTILE}` },
      { ...piece, place: 5, text: "two", isCut: true },
      { ...piece, place: 6, text: null },
    ],
  }
  const text = renderGatewayTexts(GatewayTexts.parse(visibleDeep(given)), screen)
  expect(text).toMatchInlineSnapshot(`
    "3  user user  1,234 tokens
      one
      4  tool Read
      a
      b\\x1b[2J

    5  user user  1,234 tokens
      two
      truncated

    6  user user  1,234 tokens
      not stored

    3 parts of 7; show others with --from and --limit"
  `)
  const none = { total: 2, pieces: [{ ...piece, place: 0, text: null }] }
  expect(renderGatewayTexts(GatewayTexts.parse(none), screen)).toContain("qm gateway run --content")
  expect(renderGatewayTexts({ total: 0, pieces: [] }, screen)).toContain("has these words")
  expect(renderGatewayTexts({ total: 3, pieces: [] }, screen)).toBe("No more parts.")
})

test("[CLI-13] a deletion prints how much was deleted", () => {
  expect(renderGatewayDeleted({ id: "gw_1", requests: 1 })).toBe("Deleted gw_1 with 1 request.")
})

const report = {
  verdict: "hit",
  cause: null,
  isCertain: false,
  also: [],
  detail: "",
  comparedWith: null,
  gapMs: null,
  prefixItems: 0,
  prefixTokens: 0,
  firstDifference: null,
  expectedTokens: null,
  lostTokens: 0,
  lostUsd: 0,
  settings: { effort: null, thinking: null, toolChoice: null, lifetimeMs: null, markers: 0 },
}
const miss = {
  ...report,
  verdict: "miss",
  cause: "tools",
  isCertain: true,
  also: ["expired"],
  detail: `tools added: ${HOSTILE}`,
  lostTokens: 629_000,
  lostUsd: 3.1,
}

test("[CLI-13] cache reports are a table of causes and a row for each request", () => {
  const print = (more: Record<string, unknown>) =>
    renderGatewayCache(
      GatewayCache.parse(
        visibleDeep({
          sessions: [proxiedSession],
          requests: [],
          earlier: 0,
          misses: 0,
          lostTokens: 0,
          lostUsd: 0,
          causes: [],
          ...more,
        }),
      ),
      screen,
    )
  expect(print({})).toContain("No cache misses.")
  const requests = [
    { ...request(1), cache: { ...report, verdict: "first" } },
    { ...request(2, { agent: "a1" }), cache: report },
    { ...request(3), cache: miss },
    { ...request(4), cache: { ...miss, isCertain: false, also: [], detail: "x", lostUsd: null } },
  ]
  const causes = [{ cause: "tools", misses: 2, lostTokens: 1_258_000 }]
  const text = print({ requests, misses: 2, lostTokens: 1_258_000, lostUsd: 3.1, causes })
  expect(text).toContain("2 misses, 1,258,000 tokens sent again, $3.10")
  expect(text).toContain("tools  2 misses  1,258,000 tokens")
  expect(text).toMatch(/^3 .*11\.8k {2}629\.0k {2}\$3\.10 {2}tools: tools added: a/m)
  expect(text).toContain("tools, not certain: x")
  expect(text).not.toContain("\u001b[2J")
  expect(show({ requests: [request(3, { cache: miss })] })).toContain(
    "cache missed, 629,000 tokens sent again: tools",
  )
  const secrets = [{ kind: "password", count: 2 }]
  expect(show({ requests: [request(1, { secrets, areSecretsReplaced: true })] })).toContain(
    "secrets replaced: password ×2",
  )
})
