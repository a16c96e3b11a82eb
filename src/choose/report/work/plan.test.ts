import { expect, test } from "vitest"
import type { BoardEvent, Ticket } from "#ground/contract"
import { parseSubject, sortCommits } from "./changes.ts"
import { planRoadmap, planWeek } from "./plan.ts"
import { ofCommits, ofEvents } from "./retro.ts"

const DAY_MS = 86_400_000

function ticket(id: string, fields: Partial<Ticket> = {}): Ticket {
  return {
    id,
    number: Number(id.slice(2)),
    title: `ticket ${id}`,
    type: "feature",
    priority: "P2",
    severity: null,
    lane: "backlog",
    laneSince: 0,
    complexity: 2,
    paths: [],
    dependencies: [],
    openDependencies: [],
    acceptance: [{ text: "works", isDone: false }],
    blockedReason: null,
    sla: { days: null, dueAt: null, state: "none" },
    wsjf: 1,
    isReady: true,
    isAutomated: false,
    isDropped: false,
    createdAt: 0,
    file: `${id}.md`,
    ...fields,
  }
}

test("[REPORT-9] a week has running work first, then ready tickets that fit, and reasons for the rest", () => {
  const plan = planWeek(
    [
      ticket("T-1", { complexity: 3 }),
      ticket("T-2", { complexity: 9 }),
      ticket("T-3", { blockedReason: "waits for a key" }),
      ticket("T-4", { openDependencies: ["T-2"] }),
      ticket("T-5", { acceptance: [] }),
      ticket("T-6", { lane: "working", complexity: 4 }),
      ticket("T-7", { lane: "testing" }),
    ],
    { capacity: 8, now: 3 * DAY_MS },
  )
  const rows = (list: keyof typeof plan) => {
    const value = plan[list]
    return Array.isArray(value) ? value.map((it) => [it.id, it.reason]) : []
  }
  expect(plan.points).toBe(7)
  expect(rows("running")).toEqual([["T-6", "1 criteria open"]])
  expect(rows("decide")).toEqual([["T-7", "waits for approval for 3 days"]])
  expect(rows("planned")).toEqual([["T-1", "P2, urgency 1"]])
  expect(rows("leftOut")).toEqual([
    ["T-2", "no capacity left"],
    ["T-3", "blocked: waits for a key"],
    ["T-4", "depends on T-2"],
    ["T-5", "has no acceptance criteria"],
  ])
})

test("[REPORT-10] a roadmap has waves, the longest chain, and what is stuck behind a cycle or a block", () => {
  const roadmap = planRoadmap([
    ticket("T-1"),
    ticket("T-2", { openDependencies: ["T-1"], complexity: 5 }),
    ticket("T-3", { openDependencies: ["T-1"] }),
    ticket("T-4", { openDependencies: ["T-5"] }),
    ticket("T-5", { openDependencies: ["T-4"] }),
    ticket("T-6", { blockedReason: "law" }),
    ticket("T-7", { openDependencies: ["T-6"] }),
    ticket("T-8", { lane: "conclusion" }),
  ])
  expect(
    roadmap.waves.map((it) => [it.number, it.points, it.tickets.map((one) => one.id)]),
  ).toEqual([
    [1, 2, ["T-1"]],
    [2, 7, ["T-2", "T-3"]],
  ])
  expect([roadmap.criticalPath, roadmap.criticalPoints]).toEqual([["T-1", "T-2"], 7])
  expect(roadmap.stuck.map((it) => [it.id, it.reason])).toEqual([
    ["T-4", "waits for T-5"],
    ["T-5", "waits for T-4"],
    ["T-6", "blocked: law"],
    ["T-7", "waits for T-6"],
  ])
  expect(planRoadmap([])).toMatchObject({ waves: [], criticalPath: [], criticalPoints: 0 })
})

test("[REPORT-8] subjects are sorted by type; breaking ones first, others apart", () => {
  expect(parseSubject("feat(api)!: drop v1\n\nBody")).toEqual({
    type: "feat",
    scope: "api",
    subject: "drop v1",
    isBreaking: true,
  })
  expect(parseSubject("fix: a\n\nBREAKING CHANGE: b").isBreaking).toBe(true)
  const commit = (message: string) => ({ id: "c".repeat(40), message })
  const sorted = sortCommits([
    commit("fix: one"),
    commit("docs: two"),
    commit("feat: three"),
    commit("Merge the thing"),
    commit("feat!: four"),
  ])
  expect(sorted.sections.map((it) => [it.title, it.items.map((one) => one.text)])).toEqual([
    ["Breaking", ["four"]],
    ["Added", ["three"]],
    ["Fixed", ["one"]],
  ])
  expect(sorted.unsorted).toEqual(["Merge the thing"])
})

test("[REPORT-11] a retro counts reverts, files with several fixes, and rejected tickets", () => {
  const commit = (message: string, ...paths: readonly string[]) => ({
    id: "a".repeat(40),
    message,
    changes: paths.map((path) => ({ kind: "modified", path }) as const),
  })
  const facts = ofCommits([
    commit("fix: one", "src/a/x.ts"),
    commit("fix: two", "src/a/x.ts", "src/a/y.ts"),
    commit('Revert "feat: y"', "src/b/z.ts"),
  ])
  expect(facts.refixed).toEqual([{ path: "src/a/x.ts", fixes: 2 }])
  expect(facts.reverts).toHaveLength(1)
  expect(facts.areas[0]).toEqual({ folder: "src/a", commits: 2 })

  const event = (fields: Partial<BoardEvent>): BoardEvent => ({
    id: "e",
    ticket: "T-1",
    at: 10 * DAY_MS,
    kind: "move",
    actor: "human",
    session: "s",
    by: null,
    from: "backlog",
    to: "working",
    inverse: null,
    undoes: null,
    feedback: null,
    evidence: null,
    voidReason: null,
    ...fields,
  })
  const events = [
    event({ at: 1 * DAY_MS }),
    event({ kind: "reject", at: 5 * DAY_MS }),
    event({ kind: "approve", from: "testing", to: "conclusion" }),
    event({ kind: "reject", ticket: "T-2", voidReason: "illegal" }),
  ]
  expect(ofEvents(events, 4 * DAY_MS)).toEqual({
    concluded: 1,
    rejected: [{ ticket: "T-1", times: 1 }],
    medianCycleDays: 9,
  })
  expect(ofEvents(events, 6 * DAY_MS).rejected).toEqual([])
})
