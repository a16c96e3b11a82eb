import type { StageConfig } from "#ground/contract"
import type { ScopeNeed } from "../stage.ts"

export const ANY = "*"

/**
 * The message for a denied use; undefined if the scope allows it. Scopes are enforced only here: no
 * prompt requests them, and no model response can extend them.
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

function has(allowed: readonly string[], name: string): boolean {
  return allowed.includes(name) || allowed.includes(ANY)
}
