import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { answerStatusLine, formatStatus, parseStatus } from "./status-line.ts"

const PAYLOAD = {
  session_id: "s-1",
  cwd: "/nowhere",
  model: { id: "claude-opus", display_name: "Opus" },
  cost: { total_cost_usd: 1.123 },
  context_window: {
    context_window_size: 200_000,
    used_percentage: 42,
    current_usage: {
      input_tokens: 1_000,
      cache_read_input_tokens: 80_000,
      cache_creation_input_tokens: 3_000,
      output_tokens: 500,
    },
  },
}
const NO_FACTS = {
  coldTokens: undefined,
  maskableTokens: undefined,
  waiting: undefined,
  claims: undefined,
}

const answer = (input: string, environment = { NO_COLOR: "1" }) =>
  answerStatusLine({
    input,
    environment,
    now: () => 0,
    later: () => () => {},
    debug: () => {},
  })

describe("status line", () => {
  test("[HOOKS-19] it has context, cost and cache of the session", async () => {
    expect(await answer(JSON.stringify(PAYLOAD))).toBe("42 % of 200k, $1.12, cache 95 %")
  })

  test("[HOOKS-19] approvals and claims follow, and what is not known is left out", () => {
    const status = parseStatus(PAYLOAD)
    expect(formatStatus(status, { ...NO_FACTS, waiting: 1, claims: 2 }, false)).toBe(
      "42 % of 200k, $1.12, cache 95 %, 1 approval waiting, 2 claims",
    )
    expect(formatStatus(status, { ...NO_FACTS, waiting: 0, claims: 0 }, false)).toBe(
      "42 % of 200k, $1.12, cache 95 %",
    )
    expect(formatStatus(parseStatus({}), NO_FACTS, false)).toBe("context size unknown")
    expect(formatStatus({ ...status, usedPercent: 61 }, NO_FACTS, false)).toBe(
      "61 % of 200k, compacts at 167k, $1.12, cache 95 %",
    )
    const limits = { five_hour: { used_percentage: 83.6 }, seven_day: { used_percentage: 12 } }
    const limited = parseStatus({ rate_limits: limits })
    expect(formatStatus(limited, NO_FACTS, false)).toBe("context size unknown, 5 h 84 %")
  })

  test("[HOOKS-19] once the cached prefix has expired it names the tokens to cache again", () => {
    const status = parseStatus(PAYLOAD)
    expect(formatStatus(status, { ...NO_FACTS, coldTokens: 629_000 }, false)).toBe(
      "42 % of 200k, $1.12, cold: next message re-caches 629k",
    )
    expect(formatStatus(status, { ...NO_FACTS, coldTokens: 1_250 }, true)).toContain(
      "\u001b[33mcold: next message re-caches 1.3k",
    )
  })

  test("[HOOKS-19] it names the tokens of old results that the gateway suggests to mask", () => {
    const status = parseStatus(PAYLOAD)
    expect(formatStatus(status, { ...NO_FACTS, maskableTokens: 34_200 }, false)).toBe(
      "42 % of 200k, $1.12, cache 95 %, could mask 34.2k",
    )
    expect(formatStatus(status, { ...NO_FACTS, maskableTokens: 0 }, false)).toBe(
      "42 % of 200k, $1.12, cache 95 %",
    )
  })

  test("[HOOKS-19] the fill at which the host compacts follows the host's own variables", () => {
    const line = (environment: Readonly<Record<string, string>>) =>
      formatStatus({ ...parseStatus(PAYLOAD, environment), usedPercent: 61 }, NO_FACTS, false)
    expect(line({ CLAUDE_CODE_AUTO_COMPACT_WINDOW: "120000" })).toContain(", compacts at 87k,")
    expect(line({ CLAUDE_CODE_AUTO_COMPACT_WINDOW: "900000" })).toContain(", compacts at 167k,")
    expect(line({ DISABLE_AUTO_COMPACT: "1" })).toBe("61 % of 200k, $1.12, cache 95 %")
  })

  test("[HOOKS-19] without a percentage it is computed from the last request", () => {
    const { used_percentage: _, ...window } = PAYLOAD.context_window
    const status = parseStatus({ context_window: { ...window, context_window_size: 1_000_000 } })
    expect(formatStatus(status, NO_FACTS, false)).toBe("8 % of 1M, cache 95 %")
  })

  test("[HOOKS-19] a full window is coloured from 70 %, and NO_COLOR turns that off", async () => {
    const at = (used_percentage: number) => JSON.stringify({ context_window: { used_percentage } })
    expect(await answer(at(69), { NO_COLOR: "" })).toBe("69 %")
    expect(await answer(at(70), { NO_COLOR: "" })).toBe("\u001b[33m70 %\u001b[0m")
    expect(await answer(at(85), { NO_COLOR: "" })).toBe("\u001b[31m85 %\u001b[0m")
    expect(await answer(at(85))).toBe("85 %")
  })

  test("[HOOKS-19] any input gives one line, without an error", async () => {
    for (const input of ["", "[]", "{", '{"context_window":7,"cost":{"total_cost_usd":"x"}}']) {
      expect(await answer(input)).toMatch(/^[^\n]+$/)
    }
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await answer(JSON.stringify(value))).toMatch(/^[^\n\u001b]+$/)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})
