import { hash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CacheCause, CacheSettings, TokenUsage, WireItem, WireKind } from "#ground/contract"
import { fcParameters, seed } from "#test/seed"
import { SUMMARY_NAME } from "../read/compaction.ts"
import type { CachedRequest, NewRequest } from "./compare-requests.ts"
import { chooseBefore, explainCache } from "./explain-cache.ts"

const MINUTE_MS = 60_000

const SETTINGS: CacheSettings = {
  effort: "medium",
  thinking: '{"type":"adaptive"}',
  toolChoice: null,
  lifetimeMs: 5 * MINUTE_MS,
  markers: 3,
}

const item = (kind: WireKind, name: string, tokens = 500): WireItem => ({
  kind,
  context: "history",
  name,
  sha256: hash("sha256", `${kind} ${name} ${tokens}`),
  tokens,
  bytes: tokens * 4,
})

const TOOLS = ["Read", "Edit", "Bash", "Grep"].map((name) => item("tool", name, 1_500))
const SYSTEM = [item("prompt", "system", 3_000)]
const LIMITS = item("other", "settings", 0)
const START = [item("instructions", "CLAUDE.md", 800), item("reminder", "gitStatus", 200)]

function turns(count: number): readonly WireItem[] {
  return Array.from({ length: count }, (_, at) => [
    item(at === 0 ? "user" : "thinking", `turn ${at}`, 300),
    item("call", `Read ${at}`, 60),
    item("result", `result ${at}`, 2_000),
    ...(at % 4 === 3 ? [item("reminder", `nag ${at}`, 90)] : []),
  ]).flat()
}

type Content = {
  readonly tools: readonly WireItem[]
  readonly system: readonly WireItem[]
  readonly messages: readonly WireItem[]
}

const itemsOf = ({ tools, system, messages }: Content): readonly WireItem[] => [
  ...system,
  ...tools,
  LIMITS,
  ...messages,
]

const priceOf = (usage: TokenUsage): number =>
  (usage.input * 4 + usage.output * 20 + usage.cacheRead * 0.4 + usage.cacheWrite * 5) / 1e6

/**
 * A provider's cache, written from its documentation: entries at the end of the tools, of the system
 * prompt and of each request, by model and settings, until their lifetime ends.
 */
function newProvider({ lifetimeMs = 5 * MINUTE_MS, scale = 1.2 } = {}) {
  const entries = new Map<string, number>()
  return {
    evict: () => entries.clear(),
    answer(request: Omit<NewRequest, "usage">): TokenUsage {
      const { model, settings, sentAt } = request
      const settingsIndex = request.items.indexOf(LIMITS)
      const rendered = (from: number, to: number) =>
        request.items.slice(from, to).filter((it) => it.isDeferred !== true)
      const before = rendered(0, settingsIndex)
      const tools = before.filter((it) => it.kind === "tool")
      const head = [...tools, ...before.filter((it) => it.kind !== "tool")]
      const all = [...head, ...rendered(settingsIndex + 1, request.items.length)]
      const keys: string[] = []
      let key = `${model}`
      for (const [at, { kind, sha256 }] of all.entries()) {
        // Effort and thinking belong to the messages only.
        const own = at === head.length ? JSON.stringify([settings.effort, settings.thinking]) : ""
        key = hash("sha256", `${key} ${own} ${kind} ${sha256}`)
        keys.push(key)
      }
      const isLive = (one: string) => (entries.get(one) ?? -1) >= sentAt
      const markers = [tools.length - 1, head.length - 1, keys.length - 1]
      const near = (marker: number) =>
        keys.findLastIndex((one, at) => at <= marker && at > marker - 20 && isLive(one))
      const hit = Math.max(...markers.map(near))
      const tokens = (to: number) =>
        Math.round(all.slice(0, to).reduce((sum, it) => sum + it.tokens, 0) * scale)
      for (const at of markers) {
        const marked = keys[at]
        if (marked !== undefined) entries.set(marked, sentAt + lifetimeMs)
      }
      const hitKey = keys[hit]
      if (hitKey !== undefined) entries.set(hitKey, sentAt + lifetimeMs)
      const cacheRead = tokens(hit + 1)
      return { input: 3, output: 200, cacheRead, cacheWrite: tokens(all.length) - cacheRead }
    },
  }
}

function randomFrom(start: number): () => number {
  let state = start % 2_147_483_647 || 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

type Sent = { readonly content: Content; readonly request: Partial<NewRequest> }

/** Sends a first request and the given ones after it; returns the report of the last. */
function play(sent: readonly Sent[], provider = newProvider(), evictLast = false) {
  let history: CachedRequest[] = []
  let report: ReturnType<typeof explainCache> | undefined
  for (const [at, { content, request }] of sent.entries()) {
    const sentAt = request.sentAt ?? at * 20_000
    const asked: Omit<NewRequest, "usage"> = {
      proxiedSession: "gw_1",
      wire: "anthropic",
      model: "claude-opus-5-5",
      settings: SETTINGS,
      items: itemsOf(content),
      folds: [],
      maskedResults: 0,
      answeredAt: sentAt + 4_000,
      ...request,
      sentAt,
    }
    if (evictLast && at === sent.length - 1) provider.evict()
    const now: NewRequest = { ...asked, usage: provider.answer(asked) }
    report = explainCache(chooseBefore(history, now), now, priceOf)
    history = [...history, { ...now, seq: at + 1 }].slice(-3)
  }
  if (report === undefined) throw new Error("nothing was sent")
  return report
}

type Scene = { readonly cause: CacheCause | "hit"; readonly last: Sent; readonly evicts?: boolean }

/** Two results from a place on become one line, and later thinking is removed with them. */
function maskedFrom(messages: readonly WireItem[], at: number): readonly WireItem[] {
  const results = messages.flatMap((it, place) => (it.kind === "result" ? [place] : []))
  const first = results.findLast((it) => it <= at) ?? results[0] ?? 0
  const masked = results.filter((it) => it >= first).slice(0, 2)
  return messages.flatMap((it, place) => {
    if (masked.includes(place)) return [item("result", `mask of ${it.name}`, 60)]
    return place > first && it.kind === "thinking" ? [] : [it]
  })
}

/** Each injects one cause into the request after `count` turns. */
function scenes(count: number, random: () => number): readonly Scene[] {
  const messages = [...START, ...turns(count)]
  const longer = { tools: TOOLS, system: SYSTEM, messages: [...START, ...turns(count + 1)] }
  const changed = (content: Partial<Content>, request: Partial<NewRequest> = {}): Sent => ({
    content: { ...longer, ...content },
    request,
  })
  const at = 2 + Math.floor(random() * (messages.length - 4))
  const edited = longer.messages.map((it, place) =>
    place === at ? { ...it, sha256: hash("sha256", `other ${it.sha256}`) } : it,
  )
  const isOfHost = START.concat(turns(count)).at(at)?.kind === "reminder"
  const late = 60_000 + 5 * MINUTE_MS + 1_000 + Math.floor(random() * 1e7)
  const nag = item("reminder", "moved nag", 90)
  return [
    { cause: "hit", last: changed({}) },
    { cause: "model", last: changed({}, { model: "claude-sonnet-5-5" }) },
    { cause: "effort", last: changed({}, { settings: { ...SETTINGS, effort: "high" } }) },
    { cause: "effort", last: changed({}, { settings: { ...SETTINGS, thinking: null } }) },
    { cause: "tools", last: changed({ tools: [...TOOLS, item("tool", "mcp__x__y")] }) },
    { cause: "tools", last: changed({ tools: TOOLS.toReversed() }) },
    { cause: "tools", last: changed({ tools: TOOLS.slice(1) }) },
    { cause: "tools", last: changed({ tools: [...TOOLS.slice(1), item("tool", "Read", 1_600)] }) },
    { cause: "system", last: changed({ system: [item("prompt", "system", 3_010)] }) },
    {
      cause: "instructions",
      last: changed({
        messages: [item("instructions", "CLAUDE.md", 810), ...longer.messages.slice(1)],
      }),
    },
    {
      cause: "reminder",
      last: changed({
        messages: [...longer.messages.filter((it) => it.name !== "gitStatus"), ...START.slice(1)],
      }),
    },
    {
      cause: "reminder",
      last: changed({ messages: longer.messages.toSpliced(at, 0, nag) }),
    },
    { cause: isOfHost ? "reminder" : "history", last: changed({ messages: edited }) },
    { cause: "expired", last: changed({}, { sentAt: late }) },
    {
      cause: "resume",
      last: changed(
        {
          messages: [
            ...START.slice(0, 1),
            item("reminder", "gitStatus", 220),
            ...longer.messages.slice(2),
          ],
        },
        { proxiedSession: "gw_2" },
      ),
    },
    {
      cause: "compaction",
      last: changed({
        messages: [...START, item("user", SUMMARY_NAME, 3_000), ...longer.messages.slice(-6)],
      }),
    },
    {
      cause: "fold",
      last: changed(
        { messages: [...longer.messages.slice(0, 5), ...longer.messages.slice(-8)] },
        { folds: ["br_1"] },
      ),
    },
    {
      cause: "fold",
      last: changed({ messages: maskedFrom(longer.messages, at) }, { maskedResults: 2 }),
    },
    {
      cause: "lookback",
      last: changed({
        messages: [
          ...messages,
          ...Array.from({ length: 24 }, (_, at) => item("result", `parallel ${at}`, 100)),
        ],
      }),
    },
    { cause: "unknown", last: changed({}), evicts: true },
  ]
}

describe("explainCache", () => {
  it("[GATE-100] names the injected cause in 95 of 100 scenes, and never a wrong one with certainty", () => {
    const random = randomFrom(seed())
    let [all, right] = [0, 0]
    for (let round = 0; round < 25; round++) {
      const count = 8 + Math.floor(random() * 40)
      const first: Sent[] = [count - 2, count - 1, count].map((length) => ({
        content: { tools: TOOLS, system: SYSTEM, messages: [...START, ...turns(length)] },
        request: {},
      }))
      for (const { cause, last, evicts = false } of scenes(count, random)) {
        const scale = 0.9 + random() * 0.6
        const report = play([...first, last], newProvider({ scale }), evicts)
        const named = report.verdict === "miss" ? report.cause : report.verdict
        // A compaction or fold that leaves nothing to send again costs nothing, so it is a hit.
        const isRight = named === cause || (named === "hit" && isFree(cause))
        if (report.isCertain)
          expect.soft(named, `SEED=${seed()} ${JSON.stringify(report)}`).toBe(cause)
        all += 1
        right += isRight ? 1 : 0
      }
    }
    expect(right / all, `SEED=${seed()}`).toBeGreaterThanOrEqual(0.95)
  })

  const isFree = (cause: string) => cause === "compaction" || cause === "fold"
  const base: Sent = {
    content: { tools: TOOLS, system: SYSTEM, messages: [...START, ...turns(10)] },
    request: {},
  }

  it("[GATE-100] counts as lost what was cached, sent again and not read, and prices it", () => {
    const tools = [...TOOLS, item("tool", "mcp__x__y")]
    const report = play([base, { ...base, content: { ...base.content, tools } }])
    const cached = Math.round(itemsOf(base.content).reduce((sum, it) => sum + it.tokens, 0) * 1.2)
    expect(report.expectedTokens).toBe(cached)
    // The four old tools were cached with an entry of their own.
    expect(report.lostTokens).toBe(cached - 4 * 1_500 * 1.2)
    expect(report.lostUsd).toBeCloseTo((report.lostTokens ?? 0) * (5 - 0.4) * 1e-6)
    expect(report).toMatchObject({
      cause: "tools",
      isCertain: true,
      detail: "tools added: mcp__x__y",
      comparedWith: { proxiedSession: "gw_1", seq: 1 },
      firstDifference: { place: 4, change: "added", kind: "tool", name: "mcp__x__y" },
      prefixItems: 4,
    })
  })

  it("[GATE-100] deferred tools are no part of the prefix", () => {
    const deferred = { ...item("tool", "mcp__x__later"), isDeferred: true }
    const tools = [deferred, ...TOOLS]
    const report = play([base, { ...base, content: { ...base.content, tools } }])
    expect(report).toMatchObject({ verdict: "hit", lostTokens: 0, lostUsd: 0 })
  })

  it("[GATE-100] a fork in between does not hide the conversation", () => {
    const fork = {
      ...base.content,
      messages: [...base.content.messages, item("user", "suggest", 4_000)],
    }
    const next = { ...base.content, messages: [...START, ...turns(11)] }
    const report = play([base, { content: fork, request: {} }, { content: next, request: {} }])
    expect(report).toMatchObject({ verdict: "hit", comparedWith: { seq: 1 } })
  })

  it("[GATE-100] without usage, or without anything cached, no cause is named", () => {
    const before: CachedRequest = {
      proxiedSession: "gw_1",
      seq: 1,
      wire: "anthropic",
      model: "m",
      settings: SETTINGS,
      items: itemsOf(base.content),
      usage: { input: 9_000, output: 1, cacheRead: 0, cacheWrite: 0 },
      folds: [],
      maskedResults: 0,
      sentAt: 0,
      answeredAt: 1,
    }
    const now = { ...before, sentAt: 2, answeredAt: 3 }
    expect(explainCache(undefined, now, priceOf)).toMatchObject({ verdict: "first", cause: null })
    expect(explainCache(before, now, priceOf)).toMatchObject({ verdict: "uncached", cause: null })
    const unknown = explainCache(before, { ...now, usage: null }, priceOf)
    expect(unknown).toMatchObject({ verdict: "unknown", cause: null, lostTokens: null })
    const unpriced = play([base, { ...base, request: { model: null } }])
    expect(unpriced.lostUsd).toBeNull()
  })

  const anyItems = fc.array(
    fc.record({
      kind: fc.constantFrom<WireKind>("tool", "prompt", "other", "user", "result", "reminder"),
      name: fc.constantFrom("settings", "a", "b", SUMMARY_NAME),
      tokens: fc.integer({ min: 0, max: 5_000 }),
    }),
    { maxLength: 12 },
  )
  const anyRequest = fc.record({
    items: anyItems.map((them) => them.map((it) => item(it.kind, it.name, it.tokens))),
    usage: fc.option(
      fc.record({
        input: fc.nat(20_000),
        output: fc.nat(100),
        cacheRead: fc.nat(20_000),
        cacheWrite: fc.nat(20_000),
      }),
    ),
    sentAt: fc.nat(20 * MINUTE_MS),
    model: fc.option(fc.constantFrom("m", "n")),
    wire: fc.constantFrom("anthropic" as const, "openai" as const, "gemini" as const),
    folds: fc.subarray(["br_1", "br_2"]),
    maskedResults: fc.nat(2),
    proxiedSession: fc.constantFrom("gw_1", "gw_2"),
  })

  it("[GATE-100] for any two requests a loss is within what was cached and sent, and equal requests differ nowhere", () => {
    fc.assert(
      fc.property(anyRequest, anyRequest, (one, two) => {
        const settings = SETTINGS
        const before = { ...one, seq: 1, settings, answeredAt: one.sentAt + 100 }
        const now = { ...two, settings, answeredAt: two.sentAt + 100 }
        const report = explainCache(before, now, priceOf)
        const { usage } = now
        const sent = usage === null ? 0 : usage.input + usage.cacheRead + usage.cacheWrite
        expect(report.lostTokens ?? 0).toBeLessThanOrEqual(
          Math.max(0, Math.min(sent, report.expectedTokens ?? 0)),
        )
        expect(report.cause === null).toBe(report.verdict !== "miss")
        expect(report.lostUsd ?? 0).toBeGreaterThanOrEqual(0)
        const same = explainCache(before, { ...before, sentAt: before.answeredAt }, priceOf)
        expect(same.firstDifference).toBeNull()
        const content = ["tools", "system", "reminder", "history", "instructions", "fold"]
        expect(content).not.toContain(same.cause)
      }),
      fcParameters({ numRuns: 500 }),
    )
  })
})
