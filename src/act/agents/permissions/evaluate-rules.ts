import { createMatcher } from "#ground/base"
import type { ActivityKind, PermissionRule } from "#ground/contract"
import { globMatcher } from "#see/hosts"
import { PROJECT_FOLDER } from "#see/repo"
import type { Ask, Verdict } from "../agent.ts"
import { isAmong, isExactlyOf } from "./command-pattern.ts"
import { COMMAND_TOOLS, sayRule } from "./rule-text.ts"
import {
  isInRepository,
  type Place,
  type Subject,
  subjectOf,
  type Whereabouts,
  type World,
  whereIs,
} from "./tool-subject.ts"

/** A rule with its glob made ready. */
export type ReadyRule = {
  readonly rule: PermissionRule
  fitsPlace(place: Place): boolean
}

/**
 * Hidden files must be named to be allowed: `**` would otherwise let `.git/hooks` be written. To be
 * denied they need not be.
 */
export function makeReady(rule: PermissionRule): ReadyRule {
  const glob = rule.path ?? ""
  const fits = globMatcher(glob, { dot: rule.decision !== "allow" })
  const isAbsolute = glob.startsWith("/")
  return {
    rule,
    fitsPlace: ({ inRoot, absolute }) =>
      isAbsolute ? fits(absolute) : inRoot !== undefined && fits(inRoot),
  }
}

/** What the rules say of one thing an agent asks: deny before ask, ask before allow. */
export function judge(rules: readonly ReadyRule[], ask: Ask, world: World): Verdict | undefined {
  const subject = subjectOf(ask)
  const parts = partsOf(subject, world)
  for (const decision of ["deny", "ask"] as const) {
    const found = rules.find((it) => it.rule.decision === decision && stops(it, parts))
    if (found !== undefined) return { decision, rule: sayRule(found.rule) }
  }
  const isOfOurs = parts.some((it) => isOwnFile(it))
  if (isOfOurs) return { decision: "ask", rule: OWN_FILES }
  const mayAllow = !subject.wantsMore && isInRepository(subject.cwd, world)
  if (!mayAllow) return undefined
  const allowing = rules.filter((it) => it.rule.decision === "allow")
  const found = parts.map((part) => allowing.find((it) => allows(it, part)))
  const [first] = found
  const isAllowed = first !== undefined && found.every((it) => it !== undefined)
  return isAllowed ? { decision: "allow", rule: sayRule(first.rule) } : undefined
}

/** One file a tool would touch, or the whole of what it does when it names none. */
type Part = Subject & { readonly where: Whereabouts | undefined }

/** Every file is judged by itself: a patch is allowed when each of its files is. */
function partsOf(subject: Subject, world: World): readonly Part[] {
  if (subject.paths.length === 0) return [{ ...subject, where: undefined }]
  return subject.paths.map((it) => ({ ...subject, where: whereIs(it, subject.cwd, world) }))
}

const OWN_FILES = `ask *(${PROJECT_FOLDER}/**), always`

/** What we go by lies here: an agent that could change it could change the rules. */
function isOwnFile({ kind, where }: Part): boolean {
  if (where === undefined || READING.has(kind)) return false
  return [where.written, where.real].some(
    (it) => it?.inRoot === PROJECT_FOLDER || it?.inRoot?.startsWith(`${PROJECT_FOLDER}/`),
  )
}

/** Kinds that change nothing by themselves. */
export const READING: ReadonlySet<ActivityKind> = new Set(["read", "search", "plan"])

/** Whether a denying or asking rule holds: for any file, under any of its names. */
function stops({ rule, fitsPlace }: ReadyRule, parts: readonly Part[]): boolean {
  return parts.some((part) => {
    const isTool = rule.tool === undefined || isToolOrLike(rule.tool, part)
    const isCommand =
      rule.command === undefined ||
      (part.command !== undefined && isAmong(rule.command.trim(), part.command))
    const places = [part.where?.written, part.where?.real].filter((it) => it !== undefined)
    return isTool && isCommand && (rule.path === undefined || places.some(fitsPlace))
  })
}

/** Whether an allowing rule holds: to the letter, and for where the file really lies. */
function allows({ rule, fitsPlace }: ReadyRule, part: Part): boolean {
  // A rule that names no tool is about the host's own, not about whatever a server may offer.
  const isTool = rule.tool === undefined ? OWN_KINDS.has(part.kind) : isNamed(rule.tool, part.tool)
  const isCommand =
    rule.command === undefined ||
    (part.command !== undefined && isExactlyOf(rule.command.trim(), part.command))
  // Where a command runs, a path beside it says little about what it does.
  const isWhole =
    part.command === undefined || rule.path === undefined || rule.command !== undefined
  const real = part.where?.real
  const isPath = rule.path === undefined || (real !== undefined && fitsPlace(real))
  return isTool && isCommand && isWhole && isPath
}

const OWN_KINDS: ReadonlySet<ActivityKind> = new Set(["read", "edit", "command", "search"])

/** The name, or a pattern with stars. */
function isNamed(pattern: string, tool: string): boolean {
  const [begin = "", ...rest] = pattern.split("*")
  const last = rest.pop()
  if (last === undefined) return pattern === tool
  if (!tool.startsWith(begin) || !tool.endsWith(last)) return false
  let at = begin.length
  for (const piece of rest) {
    const found = tool.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= tool.length - last.length
}

/** What hosts call the tools that change files. */
const EDIT_TOOLS: ReadonlySet<string> = new Set(
  "Edit MultiEdit Write NotebookEdit apply_patch create edit str_replace".split(" "),
)

/** A rule that stops one way to run a command or to change a file stops every host's ways. */
function isToolOrLike(pattern: string, { tool, kind }: Part): boolean {
  if (isNamed(pattern, tool)) return true
  const isCommand = kind === "command" && COMMAND_TOOLS.has(pattern)
  return isCommand || (kind === "edit" && EDIT_TOOLS.has(pattern))
}

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
