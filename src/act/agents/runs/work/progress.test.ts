import { expect, test } from "vitest"
import type { AgentEvent } from "#ground/contract"
import { type Progress, progressAfter } from "./progress.ts"

const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 })
const cost = (input: number, usd: number, more: object = {}): AgentEvent => ({
  event: "cost",
  model: "dear",
  usage: usage(input),
  isTotal: true,
  reportedUsd: usd,
  ...more,
})
const started = (sessionId: string): AgentEvent => ({
  event: "session.started",
  sessionId,
  cwd: "/repo",
  tools: [],
})

const FIRST: Progress = {
  status: "starting",
  sessionId: null,
  model: null,
  hostVersion: null,
  mode: "ask",
  turns: 0,
  error: null,
  cost: { usage: usage(0), reportedUsd: null, computedUsd: null },
  contextUsed: null,
  contextWindow: null,
  open: new Set(),
}

const after = (...events: AgentEvent[]) =>
  events.reduce((it, event) => progressAfter(it, event, priceOf), FIRST).cost

/** Two dollars a token of the dear model, one of the cheap; no other is known. */
const priceOf = ({ input }: { readonly input: number }, model: string): number | undefined =>
  ({ dear: input * 2, cheap: input })[model]

test("[AGENTS-34] a host's total replaces the one before, and a single call is added", () => {
  expect(after(started("a"), cost(5, 1), cost(8, 2))).toMatchObject({ reportedUsd: 2 })
  const single = { isTotal: false }
  expect(after(started("a"), cost(5, 1, single), cost(8, 2, single))).toMatchObject({
    usage: { input: 13 },
    reportedUsd: 3,
    computedUsd: 26,
  })
})

test("[AGENTS-34] what a replaced session cost stays, and a resumed one is not counted twice", () => {
  const resumed = after(started("a"), cost(5, 1), started("a"), cost(8, 2))
  expect(resumed).toMatchObject({ usage: { input: 8 }, reportedUsd: 2, computedUsd: 16 })
  const replaced = after(started("a"), cost(5, 1), started("b"), cost(8, 2), cost(9, 3))
  expect(replaced).toMatchObject({ usage: { input: 14 }, reportedUsd: 4, computedUsd: 28 })
})

test("[AGENTS-34] several models are priced each by its own, and one without a price makes none", () => {
  const models = (...names: string[]) => ({
    models: names.map((model) => ({ model, usage: usage(4) })),
  })
  expect(after(cost(8, 2, models("dear", "cheap")))).toMatchObject({ computedUsd: 12 })
  expect(after(cost(8, 2, models("dear", "other")))).toMatchObject({
    computedUsd: null,
    reportedUsd: 2,
  })
})
