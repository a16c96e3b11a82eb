import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { answerFolds } from "./fake-fold.ts"

const ask = (address: string, state: "populated" | "empty" = "populated") =>
  answerFolds(state, new URL(`http://fake/api/fold/${address}`))

describe("the branches of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    const { output } = OPERATIONS["fold.tree"]
    expect(output.parse(ask("tree")?.answer).sessions.length).toBe(2)
    expect(output.parse(ask("tree?all=true")?.answer).sessions.length).toBe(3)
    OPERATIONS["fold.list"].output.parse(ask("list?all=true&limit=1")?.answer)
    for (const id of ["fb_01callers", "fb_07october", "fb_10hostile"]) {
      OPERATIONS["fold.show"].output.parse(ask(`show?id=${id}`)?.answer)
    }
    OPERATIONS["fold.restore"].output.parse(ask("restore?id=fb_01callers")?.answer)
    const found = OPERATIONS["fold.search"].output.parse(ask("search?words=cent")?.answer)
    expect(found.found.length).toBeGreaterThan(1)
  })

  it("[CONSOLE-23] there is nothing, and a branch nobody knows", () => {
    expect(ask("tree", "empty")?.answer).toEqual({ sessions: [] })
    expect(ask("show?id=fb_nobody")?.status).toBe(404)
    expect(ask("other")).toBeUndefined()
  })
})
