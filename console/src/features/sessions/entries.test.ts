import { describe, expect, it } from "vitest"
import type { Run } from "../../contract.ts"
import { linesByDay, linesOfSearch, mergeSessions } from "./entries.ts"
import { aHit, aSession, aTranscript, NOW } from "./sessions.fixture.ts"

function aRun(id: string, overrides: Partial<Run> = {}): Run {
  const cost = {
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    reportedUsd: null,
    computedUsd: 0.5,
  }
  return {
    id,
    type: "claude-code",
    title: "Port it",
    isTitleOwn: false,
    status: "running",
    sessionId: null,
    model: "claude-opus-4-5",
    turns: 2,
    updatedAt: NOW,
    contextUsed: 20_000,
    contextWindow: 200_000,
    cost,
    ...overrides,
  } as Run
}

describe("one list of sessions", () => {
  it("[T15][CONSOLE-67] a scripted run has no cost, whatever its script reports", () => {
    const runs = [aRun("run_1", { type: "synthetic" }), aRun("run_2", { type: "codex" })]
    const entries = mergeSessions({ indexed: [], runs, live: [] })
    const costs = new Map(entries.map((it) => [it.id, it.cost]))
    expect(costs.get("run_1")).toBe("")
    expect(costs.get("run_2")).toMatch(/^\$/)
  })

  it("[CONSOLE-67] a session is listed once, with what its transcript, run and ledger know", () => {
    const entries = mergeSessions({
      indexed: [aTranscript("s-1", { windowTokens: null }), aTranscript("s-2")],
      runs: [aRun("run_1", { sessionId: "s-1" }), aRun("run_2")],
      live: [aSession("s-1", { drifted: 2 }), aSession("s-3")],
    })
    expect(
      entries
        .map((it) => [it.id, it.source])
        .toSorted((a, b) => String(a).localeCompare(String(b))),
    ).toEqual([
      ["run_2", "run"],
      ["s-1", "transcript"],
      ["s-2", "transcript"],
      ["s-3", "ledger"],
    ])
    const first = entries.find((it) => it.id === "s-1")
    expect(first).toMatchObject({
      mark: "running",
      runId: "run_1",
      drifted: 2,
      cost: "$1.25",
      windowTokens: 200_000,
    })
    const ledger = entries.find((it) => it.id === "s-3")
    expect(ledger, "unknown cells stay empty").toMatchObject({
      turns: null,
      peakTokens: null,
      cost: "",
      files: 5,
    })
  })

  it("[CONSOLE-15] an unknown price is a word, and a sum without some calls is marked", () => {
    const spend = aTranscript("s").spend
    const costOf = (change: Partial<typeof spend>) =>
      mergeSessions({
        indexed: [aTranscript("s", { spend: { ...spend, ...change } })],
        runs: [],
        live: [],
      })[0]?.cost
    expect(costOf({ usd: null, price: "unknown" })).toBe("unknown")
    expect(costOf({ price: "partly unknown" })).toBe("$1.25+")
    expect(costOf({ calls: 0, usd: 0 })).toBe("")
  })

  it("[CONSOLE-67] without words sessions are grouped by day, newest first", () => {
    const day = 86_400_000
    const entries = mergeSessions({
      indexed: [
        aTranscript("old", { endedAt: NOW - 3 * day }),
        aTranscript("today"),
        aTranscript("before", { endedAt: NOW - day }),
      ],
      runs: [],
      live: [],
    })
    expect(linesByDay(entries, NOW).map((it) => (it.kind === "group" ? it.name : it.key))).toEqual([
      "Today",
      "today",
      "Yesterday",
      "before",
      "Thursday 12 November",
      "old",
    ])
  })

  it("[CONSOLE-67] a search lists sessions whose text matches, then those that match by name", () => {
    const entries = mergeSessions({
      indexed: [aTranscript("a"), aTranscript("b", { title: "Tariff of the pier" })],
      runs: [],
      live: [],
    })
    const lines = linesOfSearch(entries, [aHit("a"), aHit("older", { title: "Old one" })], "pier")
    expect(
      lines.map((it) => (it.kind === "group" ? `${it.name} ${it.count}` : it.entry.title)),
    ).toEqual([
      "Matches 2",
      "Round quotes half to even",
      "Old one",
      "By name 1",
      "Tariff of the pier",
    ])
    expect(linesOfSearch(entries, [], "zz")).toEqual([])
  })
})
