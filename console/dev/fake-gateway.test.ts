import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { answerGateway } from "./fake-gateway.ts"
import { runId } from "./fake-runs-tables.ts"

const ask = (address: string, state: "populated" | "empty" = "populated") =>
  answerGateway(state, new URL(`http://fake/api/gateway/${address}`))

describe("the wire of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    OPERATIONS["gateway.list"].output.parse(ask("list")?.answer)
    const { output } = OPERATIONS["gateway.show"]
    expect(output.parse(ask(`show?id=${runId(31)}`)?.answer).requests).toHaveLength(42)
    expect(output.parse(ask(`show?id=${runId(27)}`)?.answer).carries).toHaveLength(2)
    for (const seq of [1, 9, 33, 42]) {
      OPERATIONS["gateway.request"].output.parse(ask(`request?id=gw_01tariff&seq=${seq}`)?.answer)
    }
    const texts = OPERATIONS["gateway.texts"].output.parse(
      ask("texts?id=gw_01tariff&seq=30&query=cent")?.answer,
    )
    expect(texts.total).toBeGreaterThan(50)
  })

  it("[CONSOLE-23] there is nothing, and a request nobody knows", () => {
    expect(ask("list", "empty")?.answer).toEqual({ carries: [] })
    expect(ask("request?id=gw_01tariff&seq=99")?.status).toBe(404)
    expect(ask("other")).toBeUndefined()
  })
})
