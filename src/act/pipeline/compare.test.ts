import { expect, test } from "vitest"
import { PipelineCompare, type PipelineLine } from "#ground/contract"
import { type ComparedRun, compareRuns } from "./compare.ts"
import { stageDone } from "./continuity/results.fixture.ts"

function runOf(id: string, outputs: Readonly<Record<string, unknown>>): ComparedRun {
  const line: PipelineLine = {
    id,
    agent: "deep-research",
    title: "Fees",
    query: "Fees?",
    status: "completed",
    depth: "quick",
    provider: "scripted",
    session: null,
    createdAt: 1,
    updatedAt: 2,
    endedAt: 2,
    lastSeq: 9,
    stage: null,
    cost: { spentUsd: 0, budgetUsd: 3, unknownCalls: 0 },
    error: null,
    reason: null,
    isPartial: false,
    from: null,
    prior: null,
    hasDocument: false,
    stageTitle: null,
    stagesDone: 1,
    stagesTotal: 1,
  }
  return {
    line,
    stages: Object.keys(outputs).map((it) => stageDone(it, `${it} of ${id}`)),
    outputs,
  }
}

test("two runs are compared stage by stage", () => {
  const left = runOf("p-1", { plan: { a: 1, b: [2] }, write: "text", only_left: 1 })
  const right = runOf("p-2", { plan: { b: [2], a: 1 }, write: "other", only_right: 2 })
  const compared = compareRuns(left, right)
  expect(PipelineCompare.parse(compared)).toEqual(compared)
  expect(compared.stages.map((it) => [it.name, it.isSame])).toEqual([
    ["plan", true],
    ["write", false],
    ["only_left", false],
    ["only_right", false],
  ])
  expect(compared.stages[1]).toEqual({
    name: "write",
    title: "write",
    left: { summary: "write of p-1", usd: 0, rounds: 1, output: "text" },
    right: { summary: "write of p-2", usd: 0, rounds: 1, output: "other" },
    isSame: false,
  })
  expect(compared.stages[2]?.right).toBeNull()
  expect(compared.stages[3]?.left).toBeNull()
})

test("a stage that a run did not reach has no side, and one that neither reached is left out", () => {
  const left = runOf("p-1", { plan: 1, write: 2, check: 3 })
  const right = runOf("p-2", { plan: 1 })
  const ahead = (name: string) =>
    ({ ...stageDone(name, ""), status: "waiting", rounds: 0 }) as const
  const compared = compareRuns(
    { ...left, stages: [...left.stages.slice(0, 2), ahead("check")] },
    { ...right, stages: [...right.stages, ahead("write"), ahead("check")] },
  )
  expect(compared.stages.map((it) => it.name)).toEqual(["plan", "write"])
  expect(compared.stages[1]).toMatchObject({ left: { rounds: 1 }, right: null })
})

test("a stage without output equals a missing stage", () => {
  const stages = [stageDone("plan", null)]
  const empty = { ...runOf("p-1", {}), stages }
  expect(compareRuns(empty, empty).stages[0]).toMatchObject({ isSame: false, left: { output: "" } })
})

test("long outputs are shown truncated and compared whole", () => {
  const compared = compareRuns(
    runOf("p-1", { plan: `${"🛥".repeat(20_000)}a` }),
    runOf("p-2", { plan: `${"🛥".repeat(20_000)}b` }),
  )
  expect(compared.stages[0]?.left?.output.length).toBeLessThanOrEqual(20_001)
  expect(compared.stages[0]?.left?.output.isWellFormed()).toBe(true)
  expect(compared.stages[0]?.isSame).toBe(false)
})
