import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { answerPacks, TASK, worldPacks } from "./fake-pack.ts"

const ask = (path: string, body: Readonly<Record<string, unknown>> = {}) =>
  answerPacks(worldPacks("populated"), new URL(path, "http://fake"), body)

describe("the packages of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    OPERATIONS["pack.list"].output.parse(ask("/api/pack/list")?.answer)
    OPERATIONS["pack.show"].output.parse(ask("/api/pack/show?id=last&format=xml")?.answer)
    OPERATIONS["pack.diff"].output.parse(ask("/api/pack/diff?from=pk_2&to=pk_3")?.answer)
    for (const task of [TASK, "everything", "nothing"]) {
      const body = OPERATIONS["pack.build"].input.parse({ task, role: "backend", save: false })
      const { pack } = OPERATIONS["pack.build"].output.parse(ask("/api/pack/build", body)?.answer)
      expect(pack.tokens).toBeLessThanOrEqual(pack.budget)
    }
  })

  it("[CONSOLE-23] there is a package for each state: 2,000 candidates, nothing, refused", () => {
    const left = (task: string) => ask("/api/pack/build", { task })?.answer
    expect(left("everything")).toMatchObject({ pack: { isEmpty: false } })
    expect(left("nothing")).toMatchObject({ pack: { isEmpty: true, files: [] } })
    expect(ask("/api/pack/build", { task: TASK, budget: 20 })).toMatchObject({
      status: 422,
      answer: { code: "PACK_BUDGET_TOO_SMALL", data: { needed: 420 } },
    })
    expect(ask("/api/pack/show?id=pk_none")).toMatchObject({ status: 422 })
  })
})
