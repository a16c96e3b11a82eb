import { describe, expect, it } from "vitest"
import { PIPELINE_STATUSES } from "#ground/contract"
import { describeStageProgress, formatCost } from "../../base/status.ts"
import { PIPELINES_FACETS } from "../../data/paths.ts"
import { countFacets, isOfFacet, recipesIn, startProblem } from "./lines.ts"
import { checkDraft, emptyDraft, problemsOf } from "./new-run.tsx"
import { aLine, aRecipe } from "./pipelines.fixture.ts"

describe("pipeline runs in a list", () => {
  it("every status belongs to exactly one filter besides All", () => {
    for (const status of PIPELINE_STATUSES) {
      const run = aLine("p-1", { status })
      const facets = PIPELINES_FACETS.filter((it) => isOfFacet(run, it))
      expect(facets[0]).toBe("all")
      expect(facets.length).toBe(2)
    }
    const runs = [aLine("p-1", { status: "failed" }), aLine("p-2", { status: "stopped" })]
    expect(countFacets(runs)).toEqual({ all: 2, ended: 2 })
    expect(recipesIn([aLine("p-1", { agent: "b" }), aLine("p-2", { agent: "a" })])).toEqual([
      "a",
      "b",
    ])
  })

  it("cost with budget and stage number with stage count are shown, and unknown is not 0", () => {
    expect(formatCost({ spentUsd: 0.15, budgetUsd: 3, unknownCalls: 0 })).toBe("$0.15")
    expect(formatCost({ spentUsd: 0.15, budgetUsd: null, unknownCalls: 1 })).toBe("at least $0.15")
    expect(formatCost({ spentUsd: 0, budgetUsd: 3, unknownCalls: 1 })).toBe("unknown")
    expect(describeStageProgress(aLine("p-1"))).toBe("1 of 6, Web calibration")
    expect(describeStageProgress(aLine("p-1", { stageTitle: null }))).toBe("1 of 6")
  })

  it("the reason why a recipe cannot be started is a text", () => {
    expect(startProblem(aRecipe("a"))).toBeUndefined()
    expect(startProblem(aRecipe("a", { isTrusted: false }))).toBe("not trusted yet")
    expect(startProblem(aRecipe("a", { config: null, isTrusted: false }))).toBe(
      "its folder has 1 problem",
    )
  })
})

describe("form of a pipeline run", () => {
  const draft = { ...emptyDraft("deep-research"), query: " What counts? " }

  it("empty fields are omitted, and problems are shown beside their field", () => {
    expect(checkDraft(draft)).toEqual({
      kind: "right",
      input: { agent: "deep-research", query: "What counts?", depth: "standard" },
    })
    expect(checkDraft({ ...draft, budget: "1,50" })).toMatchObject({ input: { budget: 1.5 } })
    for (const budget of ["-1", "0", "much"]) {
      expect(checkDraft({ ...draft, budget })).toMatchObject({
        problems: { budget: expect.stringContaining("above 0") },
      })
    }
    expect(checkDraft(emptyDraft(""))).toMatchObject({
      problems: { agent: "Choose a recipe.", query: "A question is required." },
    })
  })

  it("a server error about one field is shown beside it", () => {
    const refusal = { code: "PIPELINE_RECIPE_UNTRUSTED", message: "No.", hint: "", data: {} }
    expect(problemsOf(refusal)).toEqual({ agent: "No." })
    expect(problemsOf({ ...refusal, code: "X", data: { field: "budget" } })).toEqual({
      budget: "No.",
    })
    expect(problemsOf({ ...refusal, code: "X" })).toEqual({})
  })
})
