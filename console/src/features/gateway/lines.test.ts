import { describe, expect, it } from "vitest"
import { aManifest, anItem, aProxiedSession, aRequest, aShow, NOW } from "./gateway.fixture.ts"
import { chartOf, countByAgent, kindsOf, linesOf, readKey, scaleOf } from "./lines.ts"
import { contentLines } from "./request-content.tsx"

const fold = (branchId: string, tokens: number) => ({ branchId, bytes: tokens * 4, tokens })

const ALL = { who: "all", opened: new Set<string>(), at: "" } as const

describe("rows of the request list", () => {
  it("requests are in order, with the time since the first one", () => {
    const lines = linesOf(aShow(), ALL)
    expect(lines).toMatchObject([
      { key: "gw_1.1", sinceMs: 1_000 },
      { key: "gw_1.2", sinceMs: 2_000 },
    ])
    expect(readKey("gw_1.2")).toEqual({ proxiedSession: "gw_1", seq: 2 })
    for (const it of ["", "gw_1", "gw_1.0", ".3", "gw_1.x"]) expect(readKey(it)).toBeUndefined()
  })

  it("if a run was proxied by two processes, each process is listed above its own requests", () => {
    const show = aShow({
      sessions: [
        aProxiedSession("gw_1"),
        aProxiedSession("gw_2", { startedAt: NOW + 60_000 }),
        aProxiedSession("gw_3"),
      ],
      requests: [aRequest(1), aRequest(1, { proxiedSession: "gw_2", at: NOW + 61_000 })],
    })
    expect(linesOf(show, ALL).map((it) => [it.kind, it.key])).toEqual([
      ["session", "gw_1"],
      ["request", "gw_1.1"],
      ["session", "gw_2"],
      ["request", "gw_2.1"],
    ])
    expect(chartOf(show).points.map((it) => it.name)).toEqual(["Request 1.1", "Request 2.1"])
  })

  it("requests of sub-agents and of the main conversation are distinguished and counted", () => {
    const show = aShow({ requests: [aRequest(1), aRequest(2, { agent: "Explore" })] })
    expect(countByAgent(show)).toEqual({ all: 2, main: 1, agents: 1 })
    expect(linesOf(show, { ...ALL, who: "agents" }).map((it) => it.key)).toEqual(["gw_1.2"])
    expect(linesOf(show, { ...ALL, who: "main" }).map((it) => it.key)).toEqual(["gw_1.1"])
  })

  it("adjacent token counts are one expandable row, and a failed one stays visible", () => {
    const count = (seq: number, overrides = {}) => aRequest(seq, { route: "count", ...overrides })
    const requests = [aRequest(1), count(2), count(3), count(4, { status: 500 }), count(5)]
    const show = aShow({ requests: [...requests, aRequest(6)] })
    const keysIn = (options: Partial<Parameters<typeof linesOf>[1]>) =>
      linesOf(show, { ...ALL, ...options }).map((it) => it.key)
    const folded = ["gw_1.1", "gw_1.2+", "gw_1.4", "gw_1.5", "gw_1.6"]
    expect(keysIn({})).toEqual(folded)
    expect(linesOf(show, ALL)[1]).toMatchObject({ count: 2, sinceMs: 2_000, isOpen: false })
    expect(readKey("gw_1.2+"), "nothing opens beside the list").toBeUndefined()
    const open = folded.toSpliced(2, 0, "gw_1.2", "gw_1.3")
    expect(keysIn({ opened: new Set(["gw_1.2+"]) })).toEqual(open)
    expect(keysIn({ at: "gw_1.3" }), "what is looked at is never folded away").toEqual(open)
    expect(keysIn({ at: "gw_1.6" })).toEqual(folded)
  })

  it("token counts of two processes are never one row", () => {
    const requests = ["gw_1", "gw_2"].map((proxiedSession) =>
      aRequest(1, { proxiedSession, route: "count" }),
    )
    const show = aShow({ sessions: [aProxiedSession("gw_1"), aProxiedSession("gw_2")], requests })
    expect(linesOf(show, ALL).map((it) => it.kind)).toEqual([
      "session",
      "request",
      "session",
      "request",
    ])
  })

  it("bars are scaled to the longest and the largest request", () => {
    const show = aShow({
      requests: [aRequest(1), aRequest(2, { usage: null, tokens: 20_000, durationMs: 9_000 })],
    })
    expect(scaleOf(show)).toEqual({ wholeMs: 11_000, longestMs: 9_000, mostTokens: 20_000 })
    expect(scaleOf(aShow({ sessions: [], requests: [] })).wholeMs).toBe(1)
  })
})

describe("window over time", () => {
  it("kinds are scaled to the provider's number, or to our own count where the provider gave none", () => {
    expect(kindsOf(aRequest(1))).toEqual({ instructions: 3_333, history: 6_667 })
    expect(kindsOf(aRequest(1, { usage: null }))).toEqual({ instructions: 3_000, history: 6_000 })
    const kinds = (["system", "tools", "history"] as const).map((kind) => ({ kind, tokens: 1 }))
    const usage = { input: 11, output: 0, cacheRead: 0, cacheWrite: 0 }
    const parts = Object.values(kindsOf(aRequest(1, { kinds, usage })))
    expect(parts, "rounded parts sum to the provider's number").toEqual([4, 3, 4])
    expect(kindsOf(aRequest(1, { kinds: [] }))).toEqual({})
    const { points } = chartOf(aShow({ requests: [aRequest(1), aRequest(2, { usage: null })] }))
    expect(points.map((it) => it.description)).toEqual(["tokens, exact", "tokens, estimated"])
  })

  it("a branch is marked once, at the first request without it", () => {
    const show = aShow({
      requests: [
        aRequest(1),
        aRequest(2, { folded: [fold("br_1", 12_000)] }),
        aRequest(3, { folded: [fold("br_1", 12_000), fold("br_2", 500)] }),
        aRequest(4, { folded: [fold("br_1", 12_000), fold("br_2", 500)] }),
      ],
    })
    expect(chartOf(show).marks.map((it) => [it.key, it.label, it.title])).toEqual([
      ["gw_1.2", "−12.0k", "1 branch folded at request 2: 12,000 tokens left out"],
      ["gw_1.3", "−500", "1 branch folded at request 3: 500 tokens left out"],
    ])
  })

  it("token counts and sub-agent windows are not in the chart", () => {
    const show = aShow({
      requests: [aRequest(1), aRequest(2, { route: "count" }), aRequest(3, { agent: "Explore" })],
    })
    expect(chartOf(show).points.map((it) => it.key)).toEqual(["gw_1.1"])
  })
})

describe("content of a request", () => {
  it("items are grouped by kind with their tokens, each group in request order", () => {
    const items = [
      anItem("user", "a"),
      anItem("tool", "Read", { tokens: 400 }),
      anItem("tool", "Edit", { tokens: 600 }),
    ]
    const lines = contentLines(aManifest({ items }))
    expect(lines.map((it) => (it.kind === "heading" ? it : it.place))).toEqual([
      { kind: "heading", key: "of tool", of: "tool", count: 2, tokens: 1_000 },
      1,
      2,
      { kind: "heading", key: "of user", of: "user", count: 1, tokens: 10 },
      0,
    ])
  })

  it("a new item says why it is there, an old one does not", () => {
    const lazy = anItem("instructions", "/r/sub/CLAUDE.md", { why: "with Read src/x.ts" })
    const items = [anItem("hook", "", { why: "SessionStart hook" }), lazy, anItem("user", "")]
    const lines = contentLines(aManifest({ items, request: aRequest(2, { added: [lazy] }) }))
    const whys = lines.flatMap((it) => (it.kind === "item" ? [[it.place, it.why]] : []))
    expect(whys).toEqual([
      [1, "with Read src/x.ts"],
      [0, ""],
      [2, ""],
    ])
  })

  it("if an item occurs twice, only the later one is new", () => {
    const same = anItem("result", "Read")
    const other = anItem("result", "Read", { sha256: "b".repeat(64) })
    const manifest = aManifest({
      items: [same, other, same],
      request: aRequest(2, { added: [same] }),
    })
    const fresh = contentLines(manifest).flatMap((it) => (it.kind === "item" ? [it.isNew] : []))
    expect(fresh).toEqual([false, false, true])
  })
})
