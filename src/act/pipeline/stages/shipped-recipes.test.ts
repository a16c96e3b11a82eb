import { expect, test } from "vitest"
import { loadAgent } from "#act/agents"
import { silentLog } from "#ground/base"
import { RECIPES } from "#test/handbook"
import { createFolders } from "../folder/folders.ts"
import { readScripts } from "./agent.ts"
import { unknownPlaceholders } from "./prompt.ts"

const folders = createFolders({
  shipped: RECIPES,
  user: [],
  project: [],
  trustFile: "/none/agents.json",
  log: silentLog,
})
const [research, development] = await Promise.all(["deep-research", "dev-loop"].map(folders.find))

test("the shipped recipes are valid, and their prompts use only known placeholders", () => {
  for (const found of [research, development]) {
    expect(found?.recipe.problems).toEqual([])
    for (const [index, stage] of (found?.recipe.config?.stages ?? []).entries()) {
      const before = found?.recipe.config?.stages.slice(0, index).map((it) => it.name) ?? []
      const template = found?.prompts.find((it) => it.file === stage.prompt)?.text ?? ""
      expect(unknownPlaceholders(template, before), stage.name).toEqual([])
    }
  }
})

test("deep-research has the documented stages, pauses, budgets and depths", () => {
  const { stages, budgetUsd, depths, repairUnits } = research?.recipe.config ?? {}
  expect(stages?.map((it) => [it.name, it.kind, it.pauseAfter, it.budgetUsd])).toEqual([
    ["analyze_query", "ask", true, 0.2],
    ["websearch_calibration", "web", true, 0.5],
    ["retrieve", "retrieve", false, 0.2],
    ["synthesize", "ask", false, 1.2],
    ["verify", "verify", false, 0.6],
    ["output", "document", false, 0.3],
  ])
  expect(budgetUsd).toBe(3)
  expect(repairUnits).toMatchObject([{ stages: ["synthesize", "verify"] }])
  expect(depths).toEqual({
    quick: { subQueries: 3, paragraphs: 10, repairs: 0, contextTokens: 4_000, web: false },
    standard: { subQueries: 8, paragraphs: 20, repairs: 2, contextTokens: 12_000, web: true },
    deep: { subQueries: 15, paragraphs: 30, repairs: 3, contextTokens: 24_000, web: true },
  })
})

test("dev-loop pauses after its plan and repairs at most five times", () => {
  const { stages, repairUnits } = development?.recipe.config ?? {}
  expect(stages?.map((it) => it.name)).toEqual([
    "analyze",
    "plan",
    "review",
    "refine",
    "implement",
    "test",
    "decide",
  ])
  expect(stages?.filter((it) => it.pauseAfter).map((it) => it.name)).toEqual(["plan"])
  expect(repairUnits).toMatchObject([{ stages: ["implement", "test"], maxIterations: 5 }])
})

test("every script of the shipped recipes plays to the end of its turn", async () => {
  const agent = await loadAgent("synthetic")
  const scripts = development?.prompts.flatMap((it) => readScripts(it.text)) ?? []
  expect(scripts).toHaveLength(4)
  for (const script of scripts) {
    const { signal } = new AbortController()
    const played = script.replaceAll(/"after":\d+/g, '"after":0')
    const options = { cwd: "/", prompt: "", mode: "plan", program: "", environment: {} } as const
    const session = await agent.start({ ...options, signal, script: played })
    const ends: string[] = []
    for await (const { event } of session.events) {
      if (event.event !== "turn.ended") continue
      ends.push(event.outcome)
      void session.stop()
    }
    expect(ends).toEqual(["completed"])
  }
})
