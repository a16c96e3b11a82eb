import { createMatcher } from "#ground/base"
import type { ActivityKind, PermissionRule } from "#ground/contract"
import { globMatcher } from "#see/hosts"
import { PROJECT_FOLDER } from "#see/repo"
import type { PermissionQuestion, Verdict } from "../agent.ts"
import { matchesAnywhere, matchesExactly } from "./command-pattern.ts"
import { COMMAND_TOOLS, formatRule } from "./rule-text.ts"
import {
  type FileLocation,
  type FilePath,
  isInRepository,
  locate,
  type RepositoryPaths,
  type Subject,
  subjectOf,
} from "./tool-subject.ts"

export type PreparedRule = {
  readonly rule: PermissionRule
  fitsPath(file: FilePath): boolean
}

/**
 * Allowing a hidden file requires naming it: otherwise `**` would allow writing `.git/hooks`.
 * Denying does not.
 */
export function prepareRule(rule: PermissionRule): PreparedRule {
  const glob = rule.path ?? ""
  const fits = globMatcher(glob, { dot: rule.decision !== "allow" })
  const isAbsolute = glob.startsWith("/")
  return {
    rule,
    fitsPath: ({ inRoot, absolute }) =>
      isAbsolute ? fits(absolute) : inRoot !== undefined && fits(inRoot),
  }
}

export function evaluate(
  rules: readonly PreparedRule[],
  ask: PermissionQuestion,
  repository: RepositoryPaths,
): Verdict | undefined {
  const subject = subjectOf(ask)
  const parts = partsOf(subject, repository)
  for (const decision of ["deny", "ask"] as const) {
    const match = rules.find((it) => it.rule.decision === decision && stops(it, parts))
    if (match !== undefined) return { decision, rule: formatRule(match.rule) }
  }
  const isOfOurs = parts.some((it) => isOwnFile(it))
  if (isOfOurs) return { decision: "ask", rule: OWN_FILES }
  const mayAllow = !subject.wantsMore && isInRepository(subject.cwd, repository)
  if (!mayAllow) return undefined
  const allowing = rules.filter((it) => it.rule.decision === "allow")
  const matches = parts.map((part) => allowing.find((it) => allows(it, part)))
  const [first] = matches
  const isAllowed = first !== undefined && matches.every((it) => it !== undefined)
  return isAllowed ? { decision: "allow", rule: formatRule(first.rule) } : undefined
}

type Part = Subject & { readonly where: FileLocation | undefined }

/** A patch is allowed only when each of its files is. */
function partsOf(subject: Subject, repository: RepositoryPaths): readonly Part[] {
  if (subject.paths.length === 0) return [{ ...subject, where: undefined }]
  return subject.paths.map((it) => ({ ...subject, where: locate(it, subject.cwd, repository) }))
}

const OWN_FILES = `ask *(${PROJECT_FOLDER}/**), always`

/** An agent that could change our own files could change the rules. */
function isOwnFile({ kind, where }: Part): boolean {
  if (where === undefined || READING.has(kind)) return false
  return [where.written, where.real].some(
    (it) => it?.inRoot === PROJECT_FOLDER || it?.inRoot?.startsWith(`${PROJECT_FOLDER}/`),
  )
}

export const READING: ReadonlySet<ActivityKind> = new Set(["read", "search", "plan"])

/** A deny or ask rule applies to any file, under any of its names. */
function stops({ rule, fitsPath }: PreparedRule, parts: readonly Part[]): boolean {
  return parts.some((part) => {
    const isTool = rule.tool === undefined || isToolOrLike(rule.tool, part)
    const isCommand =
      rule.command === undefined ||
      (part.command !== undefined && matchesAnywhere(rule.command.trim(), part.command))
    const places = [part.where?.written, part.where?.real].filter((it) => it !== undefined)
    return isTool && isCommand && (rule.path === undefined || places.some(fitsPath))
  })
}

/** An allow rule must match exactly, on the real path of a file. */
function allows({ rule, fitsPath }: PreparedRule, part: Part): boolean {
  // A rule without a tool covers the host's own tools, not those of an MCP server.
  const isTool = rule.tool === undefined ? OWN_KINDS.has(part.kind) : isNamed(rule.tool, part.tool)
  const isCommand =
    rule.command === undefined ||
    (part.command !== undefined && matchesExactly(rule.command.trim(), part.command))
  // The path beside a command does not limit what the command does.
  const isWhole =
    part.command === undefined || rule.path === undefined || rule.command !== undefined
  const real = part.where?.real
  const isPath = rule.path === undefined || (real !== undefined && fitsPath(real))
  return isTool && isCommand && isWhole && isPath
}

const OWN_KINDS: ReadonlySet<ActivityKind> = new Set(["read", "edit", "command", "search"])

function isNamed(pattern: string, tool: string): boolean {
  const [begin = "", ...rest] = pattern.split("*")
  const last = rest.pop()
  if (last === undefined) return pattern === tool
  if (!tool.startsWith(begin) || !tool.endsWith(last)) return false
  let at = begin.length
  for (const piece of rest) {
    const index = tool.indexOf(piece, at)
    if (index < 0) return false
    at = index + piece.length
  }
  return at <= tool.length - last.length
}

const EDIT_TOOLS: ReadonlySet<string> = new Set(
  "Edit MultiEdit Write NotebookEdit apply_patch create edit str_replace".split(" "),
)

/** A deny or ask rule for a command or edit tool applies to every host's name for it. */
function isToolOrLike(pattern: string, { tool, kind }: Part): boolean {
  if (isNamed(pattern, tool)) return true
  const isCommand = kind === "command" && COMMAND_TOOLS.has(pattern)
  return isCommand || (kind === "edit" && EDIT_TOOLS.has(pattern))
}

/**
 * For a run with `changes`: an edit elsewhere, or one without a path, is denied in every mode. A
 * command may write anywhere, so it needs approval.
 */
export function outOfScope(
  changes: readonly string[],
  ask: PermissionQuestion,
  repository: RepositoryPaths,
): Verdict | undefined {
  const only = `this run may change only ${changes.join(", ")}`
  if (ask.kind === "command") return { decision: "ask", rule: `command, because ${only}` }
  if (ask.kind !== "edit") return undefined
  const { paths, cwd } = subjectOf(ask)
  const fits = createMatcher(changes)
  const isInScope = (file: string): boolean => {
    const { real } = locate(file, cwd, repository)
    return real?.inRoot !== undefined && fits(real.inRoot)
  }
  if (paths.length > 0 && paths.every(isInScope)) return undefined
  return { decision: "deny", rule: only }
}
