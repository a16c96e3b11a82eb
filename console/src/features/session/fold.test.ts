import { describe, expect, it } from "vitest"
import type { GatewayRequest, ProxiedSession, SessionsContext } from "../../contract.ts"
import { foldOffer } from "./fold.ts"

const result = (name: string, tokens: number) =>
  ({ kind: "result", name, tokens }) as GatewayRequest["added"][number]
const request = (seq: number, at: number, added: GatewayRequest["added"]) =>
  ({
    proxiedSession: "gw_1",
    seq,
    at,
    session: "s-1",
    agent: null,
    added,
  }) as GatewayRequest
const proxied = (more: Partial<ProxiedSession> = {}) =>
  ({ id: "gw_1", mode: "fold", latchedOff: null, isAlive: true, ...more }) as ProxiedSession
const point = (at: number, turn: number, tokens: number) =>
  ({
    at,
    turn,
    tokens,
    parts: { start: 1_000, files: 4_000, results: 2_000, conversation: tokens - 7_000 },
  }) as SessionsContext["points"][number]

const POINTS = [
  point(10, 1, 8_000),
  point(20, 1, 12_000),
  point(30, 2, 14_000),
  point(40, 2, 20_000),
]
const context = (more: Partial<SessionsContext> = {}) => ({
  agent: "main",
  compactions: [],
  points: POINTS,
  ...more,
})
const REQUESTS = [
  request(1, 8, []),
  request(2, 15, [result("Read", 3_000)]),
  request(3, 28, []),
  request(4, 35, [result("Bash", 2_500), result("Read", 500)]),
]
const offer = (more: Partial<Parameters<typeof foldOffer>[0]> = {}) =>
  foldOffer({
    host: "claude-code",
    session: "s-1",
    turn: 2,
    context: context(),
    proxied: [proxied()],
    requests: REQUESTS,
    ...more,
  })
const reason = (more: Partial<Parameters<typeof foldOffer>[0]>) => {
  const it = offer(more)
  return it.kind === "impossible" ? it.reason : ""
}

describe("fold of a turn", () => {
  it("[CONSOLE-68] replaces the results of the turn's requests and says what is sent again", () => {
    const it = offer()
    if (it.kind !== "possible") throw new Error(it.reason)
    expect(it.requests.map((one) => one.seq)).toEqual([2, 4])
    expect(it.span).toEqual({ from: 1, to: 1 })
    const { effect } = it
    expect(effect.cut).toEqual({ files: 500, symbols: 2_000 })
    expect(effect.nowTokens).toBe(20_000)
    const summary = 20_000 - 2_500
    expect(effect.afterTokens).toBeGreaterThan(summary)
    expect(effect.afterTokens).toBeLessThan(summary + 20)
    expect(effect.replaces).toMatch(/^Replaces 2 tool results, 3,000 tokens/)
    expect(effect.cost, "what came before the turn's result stays cached").toContain("about 3.5k")
  })

  it("[CONSOLE-68] says what is missing where the turn cannot be folded", () => {
    expect(reason({ context: context({ agent: "Explore" }) })).toContain("main conversation")
    expect(offer({ proxied: [] })).toMatchObject({
      kind: "impossible",
      command: "qm gateway run --mode fold -- claude",
    })
    expect(offer({ proxied: [], host: "gemini" })).toEqual({
      kind: "impossible",
      reason: "The gateway cannot fold requests of gemini.",
    })
    expect(reason({ proxied: [proxied({ mode: "record" })] })).toContain("changes no request")
    expect(reason({ proxied: [proxied({ latchedOff: "refused (400)" })] })).toBe(
      "Folding stopped in this session: refused (400).",
    )
    const compactions = [{ at: 33, turn: 1 }] as SessionsContext["compactions"]
    expect(reason({ turn: 1, context: context({ compactions }) })).toBe(
      "Turn 1 left the window at the compaction after turn 1.",
    )
    expect(reason({ requests: [] })).toBe("Turn 2 brought no tool result through the gateway.")
    const foreign = REQUESTS.map((it) => ({ ...it, session: "s-2" }))
    expect(reason({ requests: foreign })).toContain("brought no tool result")
  })
})
