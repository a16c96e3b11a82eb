import { expect, test } from "vitest"
import type { PipelineCompare, PipelineLine, PipelineRun, RecipeFolder } from "#ground/contract"
import { PipelineConfig } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 100 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""
const HOSTILE = "a\nb\u001b[2J"

const cost = (spentUsd: number, budgetUsd: number | null = 3, unknownCalls = 0) => ({
  spentUsd,
  budgetUsd,
  unknownCalls,
})
const stage = (
  index: number,
  status: PipelineRun["stages"][number]["status"],
  more: Partial<PipelineRun["stages"][number]> = {},
): PipelineRun["stages"][number] => ({
  index,
  name: `stage_${index}`,
  title: `Stage ${index}`,
  kind: "ask",
  status,
  attempt: 1,
  rounds: 1,
  summary: null,
  startedAt: 0,
  endedAt: 1_500,
  activities: 2,
  pauses: false,
  repairUnit: null,
  cost: cost(0.04, 0.2),
  ...more,
})
const line: PipelineLine = {
  id: "p-12",
  agent: "deep-research",
  title: "When?",
  query: HOSTILE,
  status: "paused",
  depth: "standard",
  provider: "scripted",
  session: null,
  createdAt: 0,
  updatedAt: 0,
  endedAt: null,
  lastSeq: 31,
  stage: 1,
  cost: cost(0.15),
  error: null,
  reason: null,
  isPartial: false,
  from: null,
  prior: null,
  hasDocument: false,
  stageTitle: "Web calibration",
  stagesDone: 2,
  stagesTotal: 6,
}
const { stageTitle: _, stagesDone: _done, stagesTotal: _total, ...base } = line
const run: PipelineRun = {
  ...base,
  stages: [
    stage(0, "done", { summary: "clarity 0.86" }),
    stage(1, "paused"),
    stage(2, "waiting", { rounds: 0, startedAt: null, endedAt: null, cost: cost(0, null) }),
    stage(3, "failed", { rounds: 2 }),
  ],
  repairs: [{ first: 2, last: 3, used: 1, most: 2 }],
  pause: {
    pauseId: "x",
    stage: 1,
    reason: "configured",
    question: "Is this the plan you want?",
    since: 0,
    lines: [{ text: HOSTILE, note: "handbook" }],
    isConfirmingExit: false,
    choices: [{ key: "1", word: "Proceed", consequence: "Retrieve with this plan" }],
  },
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
}

test("[CLI-23] pipeline runs are listed, or the next step if there are none", () => {
  expect(render("pipeline.list", { runs: [] })).toContain("qm pipeline run deep-research")
  const text = render("pipeline.list", { runs: [line] })
  expect(text).toContain("‖ paused")
  expect(text).toContain("2 of 6")
  expect(text).not.toContain("\u001b")
  expect(text.split("\n").filter((it) => /^\S/.test(it))).toHaveLength(2)
})

test("[CLI-13] a run prints its state, its stages with their cost, and its question", () => {
  const text = render("pipeline.show", { run, events: [] })
  expect(text).toMatch(/● +Stage 0 +1\.5 s +\$0\.04 of \$0\.20 +clarity 0\.86/)
  expect(text).toContain("Stage 2 to Stage 3: repair 1 of at most 2")
  expect(text).toContain("‖ Is this the plan you want?")
  expect(text).toMatch(/1 +Proceed +Retrieve with this plan/)
  expect(text).toContain("qm pipeline resume p-12")
  expect(text).not.toContain("\u001b")
})

test("[CLI-13] an ended run prints the reason, unknown costs, and the document", () => {
  const ended = { ...run, pause: null, status: "over-budget", reason: "the budget is spent" }
  const text = render("pipeline.stop", { ...ended, cost: cost(3, 3, 2), hasDocument: true })
  expect(text).toContain(
    "✗ over budget (the budget is spent), standard, $3.00 of $3.00, 2 calls of unknown cost",
  )
  expect(text).toContain("qm pipeline document p-12")
  const failed = {
    ...ended,
    status: "failed",
    error: { code: "X", message: "No key.", hint: "Set it." },
  }
  expect(render("pipeline.stop", failed)).toContain("No key.\nSet it.")
  expect(render("pipeline.stop", { ...ended, status: "interrupted" })).toContain(
    "qm pipeline resume p-12",
  )
})

test("[CLI-13] a partial document, a summary and a comparison of two runs are printed", () => {
  const document = {
    id: "p-1",
    title: "T",
    markdown: "# T\n\nShort [P1].",
    isPartial: true,
    note: "All stages are done; Verify did not pass",
    references: [],
  }
  expect(render("pipeline.document", document)).toMatch(
    /^Partial document: All stages are done; Verify did not pass\.[^]+Short \[P1\]\./,
  )
  const summary = {
    run: "p-1",
    agent: "deep-research",
    query: "When?",
    plan: [],
    findings: [],
    conclusions: [],
    scores: {},
    completedStages: [],
    isPartial: false,
    exitReason: "completed",
    text: "short",
    longer: "long",
  }
  expect(render("pipeline.summary", summary)).toContain("  long")
  const side = { summary: "8 sub-queries", usd: 0.04, rounds: 1, output: "{}" }
  const compare: PipelineCompare = {
    left: line,
    right: { ...line, id: "p-13" },
    stages: [
      { name: "a", title: "Analyze", left: side, right: side, isSame: true },
      { name: "b", title: "Verify", left: side, right: null, isSame: false },
    ],
  }
  const text = render("pipeline.compare", compare)
  expect(text).toMatch(/= +Analyze +\$0\.04 8 sub-queries +the same/)
  expect(text).toMatch(/≠ +Verify +\$0\.04 8 sub-queries +not reached/)
})

const folder: RecipeFolder = {
  slug: "deep-research",
  name: "Deep research",
  description: HOSTILE,
  origin: "project",
  folder: "/somewhere",
  digest: "0123456789abcdef",
  isTrusted: false,
  sources: ["demo-web"],
  tools: [],
  config: PipelineConfig.parse({
    stages: [{ name: "a", title: "A", kind: "ask", budgetUsd: 0.2 }],
    pauseAfterStages: ["a"],
  }),
  problems: [],
}
const problem = { file: "config.json", line: 7, stage: "a", field: "kind", problem: "is `asc`" }

test("[CLI-23] recipes are printed with their trust and stages, and each problem with its line", () => {
  expect(render("recipe.list", { recipes: [folder] })).toContain("not trusted")
  const text = render("recipe.show", { recipe: folder, prompts: [], runs: [line] })
  expect(text).toContain("qm recipe trust deep-research")
  expect(text).toMatch(/a +ask +pauses +\$0\.20 +A/)
  expect(text).toContain("p-12")
  const broken = { ...folder, config: null, problems: [problem] }
  const checked = { recipes: [folder, broken], isValid: false }
  expect(render("recipe.validate", checked)).toContain("config.json:7 stage a, kind: is `asc`")
  expect(renderers["recipe.validate"]?.exitCode(checked)).toBe(1)
  expect(render("recipe.validate", { recipes: [], isValid: true })).toBe("No recipes.")
})
