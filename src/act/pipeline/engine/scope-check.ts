import type { StageConfig } from "#ground/contract"
import type { ScopeNeed } from "../stage.ts"

/** Any source, or any agent. */
export const ANY = "*"

/**
 * What a stage may not use, in words; undefined when its scope has it. This is where a scope is
 * held: no prompt asks for it, and no answer of a model can widen it.
 */
export function refusal(stage: StageConfig, need: ScopeNeed | undefined): string | undefined {
  if (need === undefined) return undefined
  const { scope } = stage
  switch (need.kind) {
    case "knowledge":
      return scope.knowledge ? undefined : "the knowledge base"
    case "source":
      return has(scope.sources, need.slug) ? undefined : `the source ${need.slug}`
    case "agent":
      return has(scope.agents, need.type) ? undefined : `the agent ${need.type}`
    default:
      return need satisfies never
  }
}

function has(allowed: readonly string[], wanted: string): boolean {
  return allowed.includes(wanted) || allowed.includes(ANY)
}
