import { expect, test } from "vitest"
import type { KbWeb } from "#ground/contract"
import { openHandbook, pages } from "#test/handbook"
import type { WebSearch } from "./ports.ts"
import { readFence } from "./prompt.ts"
import { portsWith, recordEffects, STANDARD, stageInput } from "./stage-input.fixture.ts"
import { webStage } from "./web.ts"

const SCHEMA = { type: "object" }
const questions = (...list: string[]) => list.map((question) => ({ question, why: "", target: "" }))
const plan = { subQueries: questions("one?", "two?", "three?", "four?") }
const template = "{{plan}}{{documents}}{{web}}"

const finds = (results: KbWeb["results"]): WebSearch => {
  return async () => ({ source: "demo-web", note: null, results })
}

function calibrating(own: Partial<Parameters<typeof stageInput>[0]> = {}) {
  return stageInput({
    stage: { kind: "web", output: SCHEMA, scope: { ...SCOPE, sources: ["web-search"] } },
    outputs: { analyze: plan },
    template,
    ...own,
  })
}
const SCOPE = { knowledge: false, sources: [], agents: [], paths: [] }

test("the plan is compared with web results, refined by one call, and changes are marked", async () => {
  const refined = {
    subQueries: [...questions("one?", "two, rather?"), ...plan.subQueries.slice(2)],
  }
  const effects = recordEffects(() => refined)
  const web = webStage(portsWith({ web: finds(pages(2)) }))
  const { output, summary } = await web(calibrating({ effects }))
  expect(output).toMatchObject({ web: pages(2), changed: 1 })
  expect(output).toHaveProperty("subQueries[1]", {
    ...questions("two, rather?")[0],
    note: "changed",
  })
  expect(summary).toBe("plan refined, 1 of 4 sub-queries changed")
  const told = effects.seen.map((it) => (it.what === "ask" ? "ask" : `${it.tool}: ${it.title}`))
  expect(told).toEqual([
    "Web Search: one?",
    "Web Search: two?",
    "Web Search: three?",
    "ask",
    "Plan validated: 0 of 4 sub-queries have a target document",
  ])
})

test("with `knowledge` in its scope, calibration names existing documents as targets", async () => {
  await using handbook = await openHandbook()
  const effects = recordEffects(() => plan)
  const web = webStage(portsWith({ web: finds(pages(1)), knowledge: handbook.knowledge }))
  const scope = { ...SCOPE, knowledge: true, sources: ["web-search"] }
  await web(calibrating({ effects, stage: { kind: "web", output: SCHEMA, scope } }))
  const asked = effects.seen.find((it) => it.what === "ask")
  const prompt = asked?.what === "ask" ? asked.ask.prompt : ""
  expect(readFence(prompt, "documents")).toContain("Re-pricing Order")
})

test("a depth without web and a setup without a source skip calibration with a note", async () => {
  const depth = { ...STANDARD, web: false }
  const shallow = await webStage(portsWith({}))(calibrating({ depth }))
  expect(shallow.skipped).toBe("This depth does not search the web.")
  const effects = recordEffects(() => plan)
  const none: WebSearch = async () => ({ source: null, note: "No source is set up.", results: [] })
  const alone = await webStage(portsWith({ web: none }))(calibrating({ effects }))
  expect(alone.skipped).toBe("No source is set up.")
  expect(effects.seen).toMatchObject([{ key: "web:1", outcome: "failed" }])
})

test("a dead source fails its steps but not the run, and is skipped after two failures", async () => {
  const effects = recordEffects(() => plan)
  let asked = 0
  const dead: WebSearch = async () => {
    asked += 1
    throw new Error("demo-web did not answer in time")
  }
  const { skipped } = await webStage(portsWith({ web: dead }))(calibrating({ effects }))
  expect(skipped).toBe("demo-web did not answer in time")
  expect(asked).toBe(2)
  const failed = {
    tool: "Web Search",
    outcome: "failed",
    detail: "demo-web did not answer in time",
  }
  expect(effects.seen).toMatchObject([failed, failed])
})

test("one failing search leaves the others unaffected", async () => {
  const effects = recordEffects(() => plan)
  const flaky: WebSearch = async ({ query }) =>
    query === "one?"
      ? { source: "demo-web", note: "It was slow.", results: [] }
      : { source: "demo-web", note: null, results: pages(1) }
  const { output } = await webStage(portsWith({ web: flaky }))(calibrating({ effects }))
  expect(output).toMatchObject({ web: pages(1), changed: 0 })
})

test("the source named in the scope is used", async () => {
  const asked: (string | undefined)[] = []
  const web: WebSearch = async ({ source }) => {
    asked.push(source)
    return { source: null, note: "none", results: [] }
  }
  for (const sources of [["harbours"], ["web-search"], ["*"], []]) {
    const stage = { kind: "web", output: SCHEMA, scope: { ...SCOPE, sources } } as const
    await webStage(portsWith({ web }))(calibrating({ stage }))
  }
  expect(asked).toEqual(["harbours", undefined, undefined, undefined])
})
