import { describe, expect, it } from "vitest"
import { SIGNATURES } from "#ground/contract"
import { HOSTILE_TITLES, worldRuns } from "./fake-runs.ts"
import { answerRuns, nowRows } from "./fake-runs-answers.ts"
import { worldNow } from "./fake-world.ts"

const ask = (world: ReturnType<typeof worldRuns>, path: string, body: object = {}) =>
  answerRuns(world, new URL(path, "http://fake"), { ...body })

describe("the runs of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers about runs is what the contract allows", () => {
    const world = worldRuns("populated")
    const { runs } = SIGNATURES["agents.list"].output.parse(
      ask(world, "/api/agents/list?limit=500")?.answer,
    )
    expect(runs.length).toBeGreaterThan(300)
    expect(runs.map((it) => it.title)).toEqual(expect.arrayContaining(HOSTILE_TITLES))
    const { approvals } = SIGNATURES["agents.approvals"].output.parse(
      ask(world, "/api/agents/approvals")?.answer,
    )
    expect(approvals).toHaveLength(5)
    SIGNATURES["permissions.list"].output.parse(ask(world, "/api/permissions/list")?.answer)
    SIGNATURES["agents.providers"].output.parse(ask(world, "/api/agents/providers")?.answer)
    const report = { ...worldNow("populated"), ...nowRows(world) }
    expect(SIGNATURES["now.show"].output.parse(report).waiting).toHaveLength(3)
  })

  it("[CONSOLE-23] a question is answered once, and the second hears who was first", () => {
    const world = worldRuns("populated")
    const answer = () => ask(world, "/api/agents/answer", { id: "ap_1", decision: "allow" })
    const first = answer()
    expect(SIGNATURES["agents.answer"].output.parse(first?.answer).status).toBe("allowed")
    expect(answer()).toMatchObject({ status: 409, answer: { data: { by: "console" } } })
    expect(worldRuns("empty").runs).toEqual([])
  })
})
