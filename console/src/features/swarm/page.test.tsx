import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import type { Message, SwarmReview, Workstream } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { swarmParams } from "../../data/paths.ts"
import { failedQuery, renderPage, textOf } from "../../test-page.tsx"
import { activityLines } from "./activity-lines.ts"
import { SwarmPage } from "./page.tsx"
import {
  describeContinue,
  describeCounts,
  describeFact,
  describePause,
  forecastKey,
  isContinuable,
  spanForecasts,
  suggestOrder,
} from "./words.ts"

const NOW = Date.UTC(2026, 10, 17, 16, 11)

function stream(name: string, fields: Partial<Workstream> = {}): Workstream {
  return {
    name,
    state: "working",
    agent: "codex",
    startedBy: null,
    tickets: [{ id: "T-7QK2M", title: `Do ${name}`, touch: ["a.ts"], tests: [], from: "card" }],
    current: 0,
    attempt: 1,
    worktree: `x-${name}`,
    path: `/w/x-${name}`,
    branch: `qm/x-${name}`,
    runs: [],
    feedback: null,
    reason: null,
    costUsd: 2.14,
    lastActivityAt: NOW - 240_000,
    evidence: null,
    ...fields,
  }
}

const EVIDENCE = {
  id: "ev_1",
  command: "npm test",
  exitCode: 0,
  tree: "9be41c7aa",
  outputHash: "e07a",
  outputBytes: 3,
  durationMs: 42_600,
  at: NOW - 2_000_000,
}

function review(workstreams: Workstream[], more: Partial<SwarmReview> = {}): SwarmReview {
  const swarm = {
    id: "sw_1",
    createdAt: NOW - 7_740_000,
    baseRef: "main",
    baseCommit: "7c1e9d2aa",
    model: null,
    tier: "medium" as const,
    budgetUsd: 4,
    workstreams,
  }
  return { swarm, isDriven: true, diffs: [], conflicts: [], ...more }
}

const diffOf = (workstream: string, added: number): SwarmReview["diffs"][number] => ({
  workstream,
  files: [{ path: "src/totals.ts", added, removed: 1 }],
  commits: 2,
  evidence: "outdated",
  problem: null,
})

function show(data: SwarmReview | undefined, search = ""): string {
  const queries = new QueryClient()
  if (data !== undefined) queries.setQueryData(keys.operation("swarm.review", {}), data)
  const params = swarmParams.parse(search)
  const page = <SwarmPage now={NOW} params={params} onParams={() => undefined} />
  return textOf(renderPage(queries, page))
}

describe("Swarm page", () => {
  it("[CONSOLE-95] an empty page says what a swarm is and offers to plan one", () => {
    const text = show({ swarm: null, isDriven: false, diffs: [], conflicts: [] })
    expect(text).toContain("No swarm ran yet.")
    expect(text).toContain("qm swarm plan")
  })

  it("[CONSOLE-95] lanes show state, cost, feedback and halts; the forecast suggests an order", () => {
    const streams = [
      stream("ws1"),
      stream("ws2", { feedback: "Take the price from the server", attempt: 2 }),
      stream("ws3", { state: "parked", evidence: EVIDENCE }),
      stream("ws4", { state: "paused", costUsd: 4, reason: "the budget of $4 is used" }),
      stream("ws5", { state: "failed", reason: "the run failed" }),
    ]
    const text = show(
      review(streams, {
        diffs: [diffOf("ws1", 33), diffOf("ws2", 41), diffOf("ws3", 2)],
        conflicts: [{ workstream: "ws1", with: "ws2", files: ["src/totals.ts"] }],
      }),
      "?at=ws3",
    )
    expect(text).toContain("1 working, 1 sent back, 1 parked at testing, 1 paused, 1 failed")
    expect(text).toContain("$2.14 of $4.00")
    expect(text).toContain("Take the price from the server")
    expect(text).toContain("1 conflict forecast")
    expect(text).toContain("ws1 is the smaller change. Approve it first")
    expect(text).toContain("Raise budget to $8.00")
    expect(text).toContain("Restart")
    expect(text).toContain("out of date, the files changed")
    expect(text).toContain("Approve ws3")
    expect(text).toContain("moves T-7QK2M to Conclusion in your name")
  })

  it("[CONSOLE-95] forecasts are below their lanes, side by side where they share none", () => {
    const conflict = (workstream: string, other: string) => ({
      workstream,
      with: other,
      files: ["a.ts"],
    })
    const lanes = ["ws1", "ws2", "ws3", "ws4"]
    const all = [
      conflict("ws2", "ws1"),
      conflict("ws2", "ws3"),
      conflict("ws3", "ws4"),
      conflict("ws4", "main"),
      conflict("x", "y"),
    ]
    expect(spanForecasts(all, lanes).map((it) => [it.from, it.to, it.row])).toEqual([
      [0, 1, 0],
      [1, 2, 1],
      [2, 3, 0],
      [3, 3, 1],
      [0, 3, 2],
    ])
    const [one = conflict("", "")] = all
    expect(forecastKey("sw1", one)).not.toBe(forecastKey("sw1", { ...one, files: ["b.ts"] }))
  })

  it("[CONSOLE-95] a workstream is added to an open swarm, a closed one is followed by a new one", () => {
    expect(show(review([stream("ws1")]))).toContain("Add workstream")
    const closed = show(review([stream("ws1", { state: "discarded" })]))
    expect(closed).toContain("Plan a swarm")
    expect(closed).not.toContain("Add workstream")
  })

  it("[CONSOLE-95] a swarm that no process works on is offered to continue, a lost worktree is named", () => {
    const gone = { ...diffOf("ws1", 0), files: [], problem: "its folder /w/x is gone" }
    const text = show(review([stream("ws1")], { isDriven: false, diffs: [gone] }))
    expect(text).toMatch(/No process works on this swarm\. Continue/)
    expect(text).toContain("its folder /w/x is gone")
  })

  it("[CONSOLE-95] a failure keeps its code", async () => {
    const queries = await failedQuery(keys.operation("swarm.review", {}))
    const page = <SwarmPage now={NOW} params={swarmParams.parse("")} onParams={() => undefined} />
    expect(textOf(renderPage(queries, page))).toContain("STORE_DISK_FULL")
  })
})

describe("words of a swarm", () => {
  it("[CONSOLE-95] states come first, then the time", () => {
    expect(describeFact(stream("ws1"), NOW)).toBe("last activity 4 min ago")
    expect(describeFact(stream("ws1", { state: "parked", attempt: 2 }), NOW)).toBe(
      "attempt 2, waits for you",
    )
    const { swarm } = review([stream("ws1", { state: "approved" })])
    expect(swarm === null ? "" : describeCounts(swarm)).toBe("1 approved")
    const unknown = { workstream: "ws1", with: "main", files: [] }
    expect(suggestOrder(unknown, [])).toBeUndefined()
    const pair = { workstream: "ws1", with: "ws2", files: [] }
    const [small, large] = [diffOf("ws1", 1), diffOf("ws2", 9)]
    expect(suggestOrder(pair, [small, large])).toMatch(/^ws1 is the smaller change/)
    expect(suggestOrder(pair, [small, diffOf("ws2", 1)])).toMatch(/^Both changes are equally large/)
  })

  it("[CONSOLE-96] Pause all and Continue all name the workstreams that they change", () => {
    const streams = [
      stream("ws1"),
      stream("ws2", { state: "pending" }),
      stream("ws3", { state: "finishing" }),
      stream("ws4", { state: "paused", costUsd: null }),
      stream("ws5", { state: "paused", costUsd: 4 }),
      stream("ws6", { state: "failed" }),
    ]
    const { swarm } = review(streams)
    if (swarm === null) throw new Error("the fixture has a swarm")
    expect(describePause(swarm)).toMatchObject({
      title: "Pause 2 workstreams",
      description: expect.stringMatching(
        /1 workstream that already runs its checks will reach testing\.$/,
      ),
      lines: ["ws1, working: Do ws1", "ws2, waiting: Do ws2"],
      verb: "Pause 2",
    })
    // ws5 used its budget, and ws6 has its own Restart.
    const paused = streams.filter((it) => isContinuable(it, swarm))
    expect(describeContinue(paused)).toMatchObject({
      title: "Continue 1 workstream",
      lines: ["ws4, paused: Do ws4"],
    })
    expect(show(review(streams))).toContain("Pause all")
    expect(show(review(streams.slice(3)))).toContain("Continue all")
    expect(show(review(streams.slice(4)))).not.toMatch(/Pause all|Continue all/)
  })

  it("[CONSOLE-95] activities are lines with their result, newest last", () => {
    const at = (seq: number, event: object, content = ""): Message => ({
      id: `m${seq}`,
      seq,
      type: content === "" ? "tool" : "assistant",
      role: content === "" ? "tool" : "assistant",
      content,
      timestamp: NOW,
      metadata: { event },
    })
    const started = { event: "activity.started", activityId: "1", kind: "command", tool: "Bash" }
    const lines = activityLines(
      [
        at(1, { event: "message", type: "assistant", text: "x" }, "First I look\nthen I edit"),
        at(2, { ...started, title: "npm test", input: "" }),
        at(3, { event: "activity.ended", activityId: "1", outcome: "failed", output: "" }),
        at(4, { ...started, activityId: "2", kind: "edit", title: "Edit a.ts", input: "" }),
        at(5, {
          event: "activity.ended",
          activityId: "2",
          outcome: "done",
          output: "",
          diff: "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1,2 @@\n-a\n+b\n+c\n",
        }),
        at(6, { event: "error", message: "The model refused" }),
      ],
      3,
    )
    expect(lines.map((it) => [it.icon, it.text, it.end, it.tone])).toEqual([
      ["terminal", "npm test", "failed", "bad"],
      ["edit", "Edit a.ts", "+2 −1", undefined],
      ["warning", "The model refused", "", "bad"],
    ])
  })
})
