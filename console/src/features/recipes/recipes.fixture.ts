import type { RecipeFolder, StageConfig } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function aStage(name: string, overrides: Partial<StageConfig> = {}): StageConfig {
  return {
    name,
    title: name,
    kind: "ask",
    pauseAfter: false,
    maxOutputTokens: 4_000,
    optional: false,
    scope: { knowledge: false, sources: [], agents: [], paths: [] },
    ...overrides,
  }
}

export function aRecipe(slug: string, overrides: Partial<RecipeFolder> = {}): RecipeFolder {
  return {
    slug,
    name: slug,
    description: "Answers from a knowledge base.",
    origin: "shipped",
    folder: `/lib/recipes/${slug}`,
    digest: "sha256:5f2c81d07be4",
    isTrusted: true,
    sources: [],
    tools: [],
    config: {
      stages: [aStage("plan"), aStage("write"), aStage("check")],
      pauseAfterStages: ["plan"],
      repairUnits: [{ stages: ["write", "check"], maxIterations: 2, feedbackField: "feedback" }],
      autoAdvance: false,
      pauseOnErrors: true,
      budgetUsd: 3,
      depths: {},
    },
    problems: [],
    ...overrides,
  }
}
