import { describe, expect, it } from "vitest"
import { aRecipe, aStage } from "./recipes.fixture.ts"
import { describeScope, describeSource, describeStage, pausesAfter } from "./words.ts"

describe("texts of recipes", () => {
  it("[CONSOLE-56] scope, kind and pauses of a stage", () => {
    const scope = { knowledge: true, sources: ["web"], agents: ["codex"], paths: ["src/**"] }
    expect(describeScope(aStage("a", { scope }))).toBe(
      "knowledge base, source web, agent codex, files src/**",
    )
    expect(describeStage(aStage("a", { kind: "agent", agent: "codex", mode: "edits" }))).toBe(
      "Starts codex, mode edits",
    )
    expect(
      describeStage(
        aStage("a", { prompt: "a.md", effort: "low", contextTokens: 12_000, optional: true }),
      ),
    ).toBe(
      "Asks a model once, a.md, low effort, 12.0k context, skipped if its requirements are missing",
    )
    const recipe = aRecipe("a")
    expect(pausesAfter(recipe, aStage("plan"))).toBe(true)
    expect(pausesAfter(recipe, aStage("write"))).toBe(false)
    expect(pausesAfter(aRecipe("a", { config: null }), aStage("plan", { pauseAfter: true }))).toBe(
      false,
    )
  })

  it("[CONSOLE-56] the state of a source that the recipe requires", () => {
    const source = {
      slug: "web",
      title: "Web",
      description: "",
      origin: "user" as const,
      provides: [],
      command: "x",
      digest: "d",
      isApproved: true,
      isReady: true,
      checkedAt: null,
      login: null,
      health: "slow" as const,
      problem: null,
      tools: null,
    }
    expect(describeSource("web", undefined)).toBe("")
    expect(describeSource("web", [])).toBe("missing")
    expect(describeSource("web", [source])).toBe("slow")
    expect(describeSource("web", [{ ...source, isApproved: false }])).toBe("not approved")
    expect(describeSource("web", [{ ...source, problem: "no answer" }])).toBe("no answer")
  })
})
