import { createMatcher } from "#ground/base"
import type { Ask, Verdict } from "../agent.ts"
import { subjectOf } from "./subject.ts"
import { type World, whereIs } from "./where.ts"

/**
 * What a run may change when it was given only a part of the tree: an edit anywhere else, or one
 * that does not say where, is denied before any rule and in every mode. A command may write
 * anywhere, so a person is asked for it.
 */
export function outOfScope(
  changes: readonly string[],
  ask: Ask,
  world: World,
): Verdict | undefined {
  if (ask.kind === "command") return { decision: "ask", rule: `a command, ${only(changes)}` }
  if (ask.kind !== "edit") return undefined
  const { paths, cwd } = subjectOf(ask)
  const fits = createMatcher(changes)
  const isInside = (given: string): boolean => {
    const { real } = whereIs(given, cwd, world)
    return real?.inRoot !== undefined && fits(real.inRoot)
  }
  if (paths.length > 0 && paths.every(isInside)) return undefined
  return { decision: "deny", rule: only(changes) }
}

function only(changes: readonly string[]): string {
  return `only ${changes.join(", ")} may be changed in this run`
}
