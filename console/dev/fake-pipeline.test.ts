import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { answerKnowledge } from "./fake-knowledge.ts"
import { answerPipelines, worldPipelines } from "./fake-pipeline.ts"
import { PIPELINES } from "./fake-pipeline-tables.ts"

const ask = (address: string, body = {}, state: "populated" | "empty" = "populated") =>
  answerPipelines(worldPipelines(state), new URL(`http://fake/api/${address}`), body)
const know = (address: string, state: "populated" | "empty" = "populated") =>
  answerKnowledge(state, new URL(`http://fake/api/kb/${address}`), {})

describe("the pipelines, agents and documents of the fake world", () => {
  it("[CONSOLE-23] what the fake server answers is what the contract allows", () => {
    const list = OPERATIONS["pipeline.list"].output.parse(ask("pipeline/list")?.answer)
    expect(list.runs.length).toBe(PIPELINES.length)
    for (const { run } of PIPELINES) {
      OPERATIONS["pipeline.show"].output.parse(ask(`pipeline/show?id=${run.id}`)?.answer)
    }
    OPERATIONS["pipeline.document"].output.parse(ask("pipeline/document?id=p-11")?.answer)
    OPERATIONS["pipeline.compare"].output.parse(ask("pipeline/compare?id=p-12&other=p-11")?.answer)
    for (const text of ["3", "1", "go on"]) {
      OPERATIONS["pipeline.say"].output.parse(ask("pipeline/say", { id: "p-12", text })?.answer)
    }
    OPERATIONS["agent.list"].output.parse(ask("agent/list")?.answer)
    OPERATIONS["agent.show"].output.parse(ask("agent/show?slug=tariff-check")?.answer)
    OPERATIONS["source.list"].output.parse(ask("source/list")?.answer)
  })

  it("[CONSOLE-23] and so are its documents", () => {
    OPERATIONS["kb.status"].output.parse(know("status")?.answer)
    OPERATIONS["kb.documents"].output.parse(know("documents?tier=guide")?.answer)
    const found = OPERATIONS["kb.search"].output.parse(know("search?query=arrival&hops=1")?.answer)
    expect(found.hits.length).toBeGreaterThan(1)
    OPERATIONS["kb.paragraph"].output.parse(know("paragraph?id=kp_arrival42")?.answer)
    OPERATIONS["kb.add"].output.parse(know("add")?.answer)
  })

  it("[CONSOLE-23] there is nothing, and what nobody knows", () => {
    expect(ask("pipeline/list", {}, "empty")?.answer).toEqual({ runs: [] })
    expect(ask("pipeline/show?id=p-99")?.status).toBe(404)
    expect(know("paragraph?id=kp_nobody")?.status).toBe(404)
    expect(ask("other")).toBeUndefined()
    expect(know("other")).toBeUndefined()
  })
})
