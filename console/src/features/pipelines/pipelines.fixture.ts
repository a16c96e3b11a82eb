import type { PipelineLine, RecipeFolder } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function aLine(id: string, overrides: Partial<PipelineLine> = {}): PipelineLine {
  return {
    id,
    agent: "deep-research",
    title: "When may a booking be re-priced",
    query: "When may a booking be re-priced",
    status: "completed",
    depth: "standard",
    provider: "scripted",
    session: null,
    createdAt: NOW - 11 * 60_000,
    updatedAt: NOW,
    endedAt: null,
    lastSeq: 9,
    stage: 1,
    cost: { spentUsd: 0.15, budgetUsd: 3, unknownCalls: 0 },
    error: null,
    reason: null,
    isPartial: false,
    from: null,
    prior: null,
    hasDocument: false,
    stageTitle: "Web calibration",
    stagesDone: 1,
    stagesTotal: 6,
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
    digest: "sha256:5f2c",
    isTrusted: true,
    sources: [],
    tools: [],
    config: {
      stages: [],
      pauseAfterStages: [],
      repairUnits: [],
      autoAdvance: false,
      pauseOnErrors: true,
      budgetUsd: 3,
      depths: {
        quick: { subQueries: 3, paragraphs: 10, repairs: 0, contextTokens: 4_000, web: false },
      },
    },
    problems: [],
    ...overrides,
  }
}
