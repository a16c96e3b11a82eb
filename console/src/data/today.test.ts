import { describe, expect, it } from "vitest"
import type { Now, NowRow } from "../contract.ts"
import { hrefOfRow, sumToday } from "./today.ts"

const row = (overrides: Partial<NowRow>): NowRow => ({
  id: "rn_1",
  kind: "run",
  state: "running",
  title: "t",
  at: 1,
  ...overrides,
})

const now = (overrides: Partial<Now>): Now => ({
  repository: { root: "/r", name: "r", branch: null },
  health: { isHealthy: true, failed: 0, warnings: 0 },
  store: null,
  spend: { todayUsd: null, runs: 0, unknown: 0, days: [] },
  isNew: false,
  running: [],
  waiting: [],
  ended: [],
  ...overrides,
})

describe("sums of the current day", () => {
  it("[CONSOLE-15] unknown amounts stay null, and known ones are added", () => {
    expect(sumToday(now({}))).toMatchObject({ running: 0, tokens: null })
    const counted = row({ tokens: { files: 10, tools: 5 }, costUsd: 0.5 })
    const report = now({
      running: [row({}), row({ state: "queued" })],
      waiting: [counted],
      ended: [counted],
    })
    expect(sumToday(report)).toEqual({
      running: 1,
      tokens: 30,
    })
  })

  it("[CONSOLE-3] a row links to its agent run or pipeline run", () => {
    expect(hrefOfRow(row({ id: "rn_1" }))).toBe("/runs/rn_1")
    expect(hrefOfRow(row({ id: "p-12", kind: "pipeline" }))).toBe("/pipelines/p-12")
  })
})
