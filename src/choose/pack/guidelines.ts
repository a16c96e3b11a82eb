import { z } from "zod"
import { guidelineFields } from "#ground/base"
import {
  Guideline,
  type GuidelineAction,
  type GuidelinesList,
  type PackAdvice,
} from "#ground/contract"
import { globMatcher } from "#see/hosts"
import { GuidelinesInvalid } from "./errors.ts"

type KnownGuideline = Guideline & { readonly origin: string }

/** Does not apply to reviewers, who must be free to look around. */
const CONTEXT_PACKAGE_ENFORCEMENT: KnownGuideline = {
  id: "context-package-enforcement",
  title: "Work inside the context package",
  category: "context_constraint",
  priority: 750,
  isAdvisory: true,
  isEnabled: true,
  when: {
    agents: ["backend", "frontend", "implementer"],
    notAgents: ["reviewer"],
    actions: ["implement", "code", "fix", "refactor", "test"],
  },
  actions: [
    {
      type: "constraint",
      text:
        "Work inside this context package. When something is missing, report the gap " +
        "rather than search the whole repository.",
    },
  ],
  origin: "default",
}

const GuidelineFile = z.strictObject({
  guidelines: z.array(z.preprocess(guidelineFields, Guideline)).max(1_000),
})

export type GuidelineText = { readonly path: string; readonly text: string }

export function readGuidelines(file: GuidelineText | undefined): readonly KnownGuideline[] {
  const own = file === undefined ? [] : parseFile(file)
  const byId = new Map([CONTEXT_PACKAGE_ENFORCEMENT, ...own].map((it) => [it.id, it]))
  return [...byId.values()].toSorted(byPriority)
}

function parseFile({ path, text }: GuidelineText): readonly KnownGuideline[] {
  const parsed = GuidelineFile.safeParse(jsonIn(path, text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue === undefined || issue.path.length === 0 ? "the file" : issue.path.join(".")
    throw GuidelinesInvalid({ path, field, wrong: issue?.message ?? "invalid" })
  }
  const { guidelines } = parsed.data
  const ids = guidelines.map((it) => it.id)
  const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
  if (twice >= 0) {
    const field = `guidelines.${twice}.id`
    throw GuidelinesInvalid({ path, field, wrong: `duplicate id ${ids[twice] ?? ""}` })
  }
  return guidelines.map((it) => ({ ...it, origin: path }))
}

function jsonIn(path: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (cause) {
    throw GuidelinesInvalid({ path, field: "the file", wrong: "not valid JSON" }, cause)
  }
}

export function adviceFor(
  guidelines: readonly KnownGuideline[],
  facts: WorkFacts,
): readonly PackAdvice[] {
  const applying = guidelines.filter((it) => appliesTo(it, facts)).toSorted(byPriority)
  return withinUnits(
    applying.flatMap(({ id, actions }) =>
      actions.filter(isAdvice).map(({ text }) => ({ guideline: id, text })),
    ),
  )
}

export function listGuidelines(guidelines: readonly KnownGuideline[], facts: WorkFacts) {
  const hasFilter = Object.values(facts).some((it) => it !== undefined)
  const listed = hasFilter ? guidelines.filter((it) => appliesTo(it, facts, "holds")) : guidelines
  return {
    guidelines: [...listed],
    verdict: verdictOf(listed.filter((it) => it.isEnabled)),
  }
}

type WorkFacts = {
  readonly role?: string | undefined
  readonly action?: string | undefined
  readonly domain?: string | undefined
  readonly paths?: readonly string[] | undefined
}

/**
 * All conditions must match, one value per condition is enough, and a missing condition matches. An
 * unknown fact fails its condition unless `unknown` is "holds".
 */
export function appliesTo(
  { isEnabled, when }: Guideline,
  facts: WorkFacts,
  unknown: "fails" | "holds" = "fails",
): boolean {
  const isOpen = unknown === "holds"
  const holds = (values: readonly string[] | undefined, fact: string | undefined) => {
    if (values === undefined) return true
    return fact === undefined ? isOpen : values.includes(fact)
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

function byPriority(a: Guideline, b: Guideline): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

/** Denied tools override allowed ones; instructions of the lowest priority are dropped first. */
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
  const advice = withinUnits(actions.filter(isAdvice))
  const textsOf = (type: AdviceAction["type"]) =>
    advice.flatMap((it) => (it.type === type ? [it.text] : []))
  return {
    instructions: textsOf("instruction"),
    constraints: textsOf("constraint"),
    allowedTools: allowed.length === 0 ? null : ofAll.filter((tool) => !denied.has(tool)),
    deniedTools: [...denied],
    gates: actions.flatMap((it) => (it.type === "hitl_gate" ? [it.reason] : [])),
  }
}

type AdviceAction = Extract<GuidelineAction, { readonly type: "instruction" | "constraint" }>

function isAdvice(action: GuidelineAction): action is AdviceAction {
  return action.type === "instruction" || action.type === "constraint"
}

function withinUnits<Text extends { readonly text: string }>(
  texts: readonly Text[],
): readonly Text[] {
  let room = 50_000
  return texts.filter(({ text }) => {
    const fits = text.length <= room
    if (fits) room -= text.length
    return fits
  })
}
