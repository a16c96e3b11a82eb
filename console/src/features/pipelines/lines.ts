import { type PipelineLine, plural, type RecipeFolder } from "../../contract.ts"
import type { PipelinesFacet } from "../../data/paths.ts"

function facetOf({ status }: PipelineLine): Exclude<PipelinesFacet, "all"> {
  switch (status) {
    case "paused":
      return "paused"
    case "running":
    case "interrupted":
      return "live"
    case "completed":
      return "completed"
    case "breakout":
    case "stopped":
    case "failed":
    case "over-budget":
      return "ended"
    default:
      return status satisfies never
  }
}

export function isOfFacet(run: PipelineLine, facet: PipelinesFacet): boolean {
  return facet === "all" || facetOf(run) === facet
}

export function countFacets(
  runs: readonly PipelineLine[],
): Readonly<Partial<Record<PipelinesFacet, number>>> {
  const counts: Partial<Record<PipelinesFacet, number>> = { all: runs.length }
  for (const run of runs) {
    const facet = facetOf(run)
    counts[facet] = (counts[facet] ?? 0) + 1
  }
  return counts
}

export function startProblem({ problems, config, isTrusted }: RecipeFolder): string | undefined {
  if (problems.length > 0 || config === null) {
    return `its folder has ${plural(Math.max(1, problems.length), "problem")}`
  }
  return isTrusted ? undefined : "not trusted yet"
}

export function recipesIn(runs: readonly PipelineLine[]): readonly string[] {
  return [...new Set(runs.map((it) => it.agent))].toSorted()
}
