import { describe, expect, it } from "vitest"
import type { NowRow } from "../contract.ts"
import { spendOfSessions } from "../data/today.ts"
import { describeRemoved } from "../features/session/compaction.tsx"
import { freshRows } from "./notifications.ts"

const row = (id: string, at: number): NowRow => ({
  id,
  kind: "run",
  state: "waiting",
  title: id,
  at,
})

describe("notifications", () => {
  it("[CONSOLE-73] only rows that began to wait since the last look are new", () => {
    const rows = [row("a", 1), row("b", 2)]
    expect(freshRows(undefined, rows)).toEqual([])
    expect(freshRows(new Set(["run a 1"]), rows)).toEqual([rows[1]])
    expect(freshRows(new Set(["run a 1", "run b 2"]), [row("a", 9)])).toEqual([row("a", 9)])
  })
})

describe("figures of imported sessions", () => {
  it("[CONSOLE-65] the spend of today has the day of the index, and an unknown price is no 0", () => {
    const until = Date.UTC(2026, 10, 17, 12) + 1
    const spend = (usd: number | null, calls: number) => ({
      usd,
      calls,
      price: "known" as const,
      unpricedTokens: 0,
      tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 },
    })
    const rows = [
      { key: "2026-11-16", label: "", spend: spend(2, 3) },
      { key: "2026-11-17", label: "", spend: spend(null, 1) },
    ]
    const shown = spendOfSessions({ rows, until })
    expect([shown.today, shown.aside]).toEqual(["unknown", "1 call, list prices"])
    expect(shown.days.slice(-2)).toEqual([
      { day: "2026-11-16", usd: 2 },
      { day: "2026-11-17", usd: 0 },
    ])
    expect(spendOfSessions({ rows: [], until }).today).toBe("$0.00")
  })

  it("[CONSOLE-68] a compaction is described by what left and what was read again", () => {
    const file = { path: "a.ts", tokens: 9_000, againTokens: 4_000 }
    const removed = { turns: 3, fileCount: 1, fileTokens: 9_000, tools: [] }
    const compaction = { at: 1, turn: 3, cause: "auto", tokensBefore: 90_000, tokensAfter: 20_000 }
    const describe = (files: readonly (typeof file)[], againTokens: number) =>
      describeRemoved(
        { ...compaction, removed: { ...removed, files: [...files], againTokens } },
        undefined,
        undefined,
      )
    expect(describe([file], 4_000)).toBe("70.0k tokens, 3 turns, 1 file read again, 4.0k")
    expect(describe([], 0)).toBe("70.0k tokens, 3 turns, nothing was read again")
  })
})
