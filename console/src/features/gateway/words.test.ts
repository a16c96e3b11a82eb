import { describe, expect, it } from "vitest"
import { type CacheReport, WIRE_KINDS } from "#ground/contract"
import { formatMinutes } from "../../base/format.ts"
import { anItem, aProxiedSession, aRequest, aShow } from "./gateway.fixture.ts"
import {
  badgesOf,
  cacheShareOf,
  describeCache,
  describeDelete,
  describeDifference,
  describeMissed,
  describeNewItems,
  describeTotals,
  describeUsage,
  formatTime,
  inputOf,
  KIND_NAMES,
  missedOf,
  tokensOf,
  usageOf,
} from "./words.ts"

const aMiss: CacheReport = {
  verdict: "miss",
  cause: "tools",
  isCertain: true,
  also: ["expired"],
  detail: "tools added: mcp__x__y",
  comparedWith: { proxiedSession: "gw_1", seq: 1 },
  gapMs: 1_000,
  prefixItems: 4,
  prefixTokens: 6_000,
  firstDifference: { place: 4, change: "added", kind: "tool", name: "mcp__x__y" },
  expectedTokens: 640_000,
  lostTokens: 629_000,
  lostUsd: 3.1,
  settings: { effort: null, thinking: null, toolChoice: null, lifetimeMs: null, markers: 3 },
}

describe("texts of a request", () => {
  it("a cache miss names tokens, cost, cause and the first difference", () => {
    expect(describeCache(aMiss)).toBe(
      "629,000 cached tokens were sent again, $3.10 more. Cause: tools, tools added: mcp__x__y; also expired",
    )
    expect(describeDifference(aMiss)).toBe(
      "the first 6,000 tokens are equal, then tools mcp__x__y was inserted",
    )
    const unsure = { ...aMiss, isCertain: false, lostUsd: null, also: [] }
    expect(describeCache(unsure)).toContain("sent again. Cause: tools (not certain)")
    expect(describeDifference({ ...aMiss, firstDifference: null })).toContain("nothing after them")
    expect(describeCache({ ...aMiss, verdict: "hit" })).toBe("everything that was cached was read")
    expect(badgesOf(aRequest(1, { cache: { ...aMiss, verdict: "hit" } }))).toEqual([])
    const show = aShow({ requests: [aRequest(1), aRequest(2, { cache: aMiss })] })
    expect(missedOf(show)).toEqual({ misses: 1, tokens: 629_000, usd: 3.1 })
    expect(describeMissed(missedOf(show))).toContain("in 1 cache miss, $3.10 more")
  })

  it("every kind of the contract has a name", () => {
    expect(Object.keys(KIND_NAMES).toSorted()).toEqual([...WIRE_KINDS].toSorted())
  })

  it("a request with a normal response has no badge", () => {
    expect(badgesOf(aRequest(1))).toEqual([])
  })

  it.each([
    [{ outcome: "refused", status: 400 }, "refused 400"],
    [{ status: 429 }, "429"],
    [{ outcome: "cut" }, "cut off"],
    [{ outcome: "aborted" }, "aborted"],
    [{ outcome: "unreachable", status: null }, "unreachable"],
    [{ fallback: "400 to the folded body" }, "original sent"],
    [{ problem: "the body is no JSON" }, "incomplete"],
    [{ agent: "Explore" }, "sub-agent"],
    [{ route: "count" }, "count"],
    [{ cache: aMiss }, "missed 629.0k"],
    [{ masked: { results: 2, bytes: 9_000, tokens: 2_300, added: 1 } }, "−2.3k masked"],
    [{ maskable: { results: 2, tokens: 34_000 } }, "could mask 34.0k"],
    [{ secrets: [{ kind: "github-token", count: 2 }], areSecretsReplaced: false }, "secrets sent"],
    [{ secrets: [{ kind: "password", count: 1 }], areSecretsReplaced: true }, "secrets replaced"],
    [{ folded: [{ branchId: "br_1", bytes: 4, tokens: 12_345 }] }, "−12.3k"],
  ] as const)("the request %j has the badge %s", (overrides, description) => {
    const request = {
      ...aRequest(1),
      ...overrides,
      folded: "folded" in overrides ? [...overrides.folded] : [],
      ...("secrets" in overrides ? { secrets: [...overrides.secrets] } : { secrets: [] }),
    }
    expect(badgesOf(request).map((it) => it.text)).toEqual([description])
  })

  it("input is fresh plus cache read plus cache write, and unknown is never 0", () => {
    expect(inputOf(aRequest(1))).toBe(10_000)
    expect(cacheShareOf(aRequest(1))).toBeCloseTo(0.9588)
    expect(describeUsage(aRequest(1))).toBe(
      "9,588 read from the cache, 400 written, 12 fresh, 140 output",
    )
    const unknown = aRequest(1, { usage: null })
    expect([inputOf(unknown), cacheShareOf(unknown)]).toEqual([null, null])
    expect(describeUsage(unknown)).toBe("usage unknown, about 9,000 tokens sent")
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    expect(cacheShareOf(aRequest(1, { usage: none }))).toBeNull()
  })

  it("a token count has no numbers, whatever usage its response has", () => {
    const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    for (const usage of [null, none]) {
      const count = aRequest(1, { route: "count", usage })
      expect([usageOf(count), inputOf(count), cacheShareOf(count)]).toEqual([null, null, null])
      expect(describeUsage(count)).toBe("a token count, which uses no tokens")
    }
    const { totals } = aShow()
    expect(tokensOf({ totals: { ...totals, usage: none } }), "of counts alone").toBeNull()
  })

  it("totals add known values and say how many are unknown", () => {
    const { totals } = aShow()
    expect(tokensOf({ totals })).toBe(20_280)
    expect(describeTotals({ totals })).not.toContain("unknown")
    const some = { ...totals, unknownUsage: 1 }
    expect(describeTotals({ totals: some })).toContain("; usage unknown for 1, not counted")
    expect(tokensOf({ totals: { ...totals, unknownUsage: 2 } })).toBeNull()
  })

  it("new items list the most important kind first, a few names, then the number of others", () => {
    const added = [
      anItem("thinking", ""),
      anItem("call", "Read"),
      anItem("result", "src/a.ts"),
      anItem("instructions", "/r/sub/CLAUDE.md"),
    ]
    expect(describeNewItems({ added })).toBe("CLAUDE.md, src/a.ts, Read and 1 more")
    expect(describeNewItems({ added: added.slice(0, 1) })).toBe("thinking")
    expect(describeNewItems({ added: [] })).toBe("")
  })

  it("a tool call and its result are listed once, and repeated calls with their count", () => {
    const pair = (name: string) => [anItem("call", name), anItem("result", name)]
    expect(describeNewItems({ added: pair("Read") })).toBe("Read")
    const added = [...pair("mcp__qm__branch"), ...pair("Read"), ...pair("Read")]
    expect(describeNewItems({ added })).toBe("mcp__qm__branch, Read ×2")
    expect(describeNewItems({ added: [...pair("Read"), anItem("call", "Edit")] })).toBe(
      "Read, Edit",
    )
    const many = ["A", "B", "C", "D", "D"].flatMap(pair)
    expect(describeNewItems({ added: many })).toBe("A, B, C and 2 more")
  })

  it("[CONSOLE-63] before deletion the amount is shown and whether texts are deleted too", () => {
    const show = aShow()
    expect(describeDelete(show)).toContain("of 2 requests and their texts will be deleted.")
    const without = { ...show, sessions: [aProxiedSession("gw_1", { hasContent: false })] }
    expect(describeDelete(without)).toContain("The records of 2 requests will be deleted.")
  })

  it("durations are formatted for a waterfall", () => {
    const times = [0, 0.4, 18.2, 842, 999.7, 1_000, 59_940, 102_000]
    const description = ["0 ms", "0 ms", "18 ms", "842 ms", "1.0 s", "1.0 s", "59.9 s", "1:42"]
    expect(times.map(formatTime)).toEqual(description)
    expect([0, 999, 262_000, 3_665_000].map(formatMinutes)).toEqual([
      "0:00",
      "0:00",
      "4:22",
      "61:05",
    ])
  })
})
