import type { Guideline, GuidelineAction, GuidelinesList } from "#ground/contract"
import { globMatcher } from "#see/hosts"
import { MOST_INSTRUCTION_UNITS } from "../limits.ts"

/** What is known of the work that guidelines are asked for. */
export type WorkFacts = {
  readonly role?: string | undefined
  readonly action?: string | undefined
  readonly domain?: string | undefined
  readonly paths?: readonly string[] | undefined
}

/**
 * Whether a guideline applies: its conditions hold together, inside one a single match is enough,
 * an absent one always holds. What is not known fails a condition, unless the question is open.
 */
export function appliesTo(
  { isEnabled, when }: Guideline,
  facts: WorkFacts,
  unknown: "fails" | "holds" = "fails",
): boolean {
  const isOpen = unknown === "holds"
  const holds = (wanted: readonly string[] | undefined, fact: string | undefined) => {
    if (wanted === undefined) return true
    return fact === undefined ? isOpen : wanted.includes(fact)
  }
  const isExcluded = facts.role !== undefined && when.notAgents?.includes(facts.role) === true
  return (
    isEnabled &&
    !isExcluded &&
    holds(when.agents, facts.role) &&
    holds(when.actions, facts.action) &&
    holds(when.domains, facts.domain) &&
    holdsForPaths(when.paths, { paths: facts.paths, isOpen })
  )
}

function holdsForPaths(
  globs: readonly string[] | undefined,
  { paths, isOpen }: { readonly paths: readonly string[] | undefined; readonly isOpen: boolean },
): boolean {
  if (globs === undefined) return true
  if (paths === undefined) return isOpen
  const matchers = globs.map((it) => globMatcher(it, { dot: true }))
  return paths.some((path) => matchers.some((isMatch) => isMatch(path)))
}

/** The highest priority first; of equal ones by name. */
export function byPriority(a: Guideline, b: Guideline): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

/** What guidelines say together. Denied beats allowed; the least important instructions fall out. */
export function verdictOf(guidelines: readonly Guideline[]): GuidelinesList["verdict"] {
  const actions = guidelines.toSorted(byPriority).flatMap((it) => it.actions)
  const denied = new Set(
    actions.flatMap((it) => (it.type === "tool_restriction" ? (it.denied ?? []) : [])),
  )
  const allowed = actions.flatMap((it) =>
    it.type === "tool_restriction" && it.allowed !== undefined ? [it.allowed] : [],
  )
  const ofAll = [...new Set(allowed.flat())].filter((tool) =>
    allowed.every((list) => list.includes(tool)),
  )
  const said = withinUnits(actions.filter(isSaid))
  const textsOf = (type: Said["type"]) => said.flatMap((it) => (it.type === type ? [it.text] : []))
  return {
    instructions: textsOf("instruction"),
    constraints: textsOf("constraint"),
    allowedTools: allowed.length === 0 ? null : ofAll.filter((tool) => !denied.has(tool)),
    deniedTools: [...denied],
    gates: actions.flatMap((it) => (it.type === "hitl_gate" ? [it.reason] : [])),
  }
}

type Said = Extract<GuidelineAction, { readonly type: "instruction" | "constraint" }>

export function isSaid(action: GuidelineAction): action is Said {
  return action.type === "instruction" || action.type === "constraint"
}

/** A text that would go over the limit is left out whole; a shorter one behind it may still fit. */
export function withinUnits<Text extends { readonly text: string }>(
  texts: readonly Text[],
): readonly Text[] {
  let room = MOST_INSTRUCTION_UNITS
  return texts.filter(({ text }) => {
    const fits = text.length <= room
    if (fits) room -= text.length
    return fits
  })
}
