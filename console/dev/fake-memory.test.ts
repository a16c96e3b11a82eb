import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { answerMemories, worldMemories } from "./fake-memory.ts"

function setUp(state: "populated" | "empty" = "populated") {
  const world = worldMemories(state)
  return (name: string, query = "", body: Record<string, unknown> = {}) =>
    answerMemories(world, new URL(`http://fake/api/memory/${name}${query}`), body)
}

describe("the memories of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    const ask = setUp()
    const list = OPERATIONS["memory.list"].output.parse(ask("list")?.answer)
    expect(list.memories.length).toBe(200)
    const { found } = OPERATIONS["memory.search"].output.parse(
      ask("search", "?words=rounding")?.answer,
    )
    expect(found.length).toBeGreaterThan(0)
    OPERATIONS["memory.show"].output.parse(ask("show", "?id=mem_01halfcents")?.answer)
    const confirmed = ask("confirm", "", { id: "mem_03blog" })?.answer
    expect(OPERATIONS["memory.confirm"].output.parse(confirmed).state).toBe("confirmed")
    const judged = ask("feedback", "", { id: "mem_03blog", verdict: "helpful" })?.answer
    expect(OPERATIONS["memory.feedback"].output.parse(judged).signals.helpful).toBe(1)
    const added = ask("record", "", { kind: "rule", title: "New", body: "Text" })?.answer
    expect(OPERATIONS["memory.record"].output.parse(added).outcome).toBe("recorded")
    OPERATIONS["memory.forget"].output.parse(ask("forget", "", { id: "mem_03blog" })?.answer)
    expect(ask("show", "?id=mem_03blog")?.status).toBe(404)
  })

  it("[CONSOLE-23] there is nothing, one that is said already, and what is refused", () => {
    expect(setUp("empty")("list")?.answer).toEqual({ memories: [], total: 0, problems: [] })
    const ask = setUp()
    const again = ask("record", "", { title: "Half to even, on the line", body: "x" })?.answer
    expect(again).toMatchObject({ outcome: "duplicate" })
    expect(ask("record", "", { title: "x".repeat(201) })?.status).toBe(422)
    expect(ask("record", "", { title: "x", cites: ["no/such.ts"] })?.status).toBe(422)
    expect(ask("other")).toBeUndefined()
  })
})
