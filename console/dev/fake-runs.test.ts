import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { HOSTILE_TITLES, worldRuns } from "./fake-runs.ts"
import { answerRuns, nowRows } from "./fake-runs-answers.ts"
import { worldNow } from "./fake-world.ts"

const ask = (world: ReturnType<typeof worldRuns>, path: string, body: object = {}) =>
  answerRuns(world, new URL(path, "http://fake"), { ...body })

describe("the runs of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers about runs is what the contract allows", () => {
    const world = worldRuns("populated")
    const { runs } = OPERATIONS["agents.list"].output.parse(
      ask(world, "/api/agents/list?limit=500")?.answer,
    )
    expect(runs.length).toBeGreaterThan(300)
    expect(runs.map((it) => it.title)).toEqual(expect.arrayContaining(HOSTILE_TITLES))
    const { approvals } = OPERATIONS["agents.approvals"].output.parse(
      ask(world, "/api/agents/approvals")?.answer,
    )
    expect(approvals).toHaveLength(5)
    OPERATIONS["permissions.list"].output.parse(ask(world, "/api/permissions/list")?.answer)
    OPERATIONS["agents.providers"].output.parse(ask(world, "/api/agents/providers")?.answer)
    const report = { ...worldNow("populated"), ...nowRows(world) }
    expect(OPERATIONS["now.show"].output.parse(report).waiting).toHaveLength(3)
  })

  it("[CONSOLE-23] a question is answered once, and the second hears who was first", () => {
    const world = worldRuns("populated")
    const answer = () => ask(world, "/api/agents/answer", { id: "ap_1", decision: "allow" })
    const first = answer()
    expect(OPERATIONS["agents.answer"].output.parse(first?.answer).status).toBe("allowed")
    expect(answer()).toMatchObject({ status: 409, answer: { data: { by: "console" } } })
    expect(worldRuns("empty").runs).toEqual([])
  })
})
