import { globMatcher, isUsableGlob } from "#see/hosts"
import { RoleUnknown, RuleInvalid } from "../errors.ts"

export type PathRule = (path: string) => boolean

const KNOWN_ROLES = ["implementer", "backend", "frontend", "tester", "reviewer", "any"] as const

/**
 * `tester +test/** -test/secret/**; web +web/**`: minus overrides plus; without a plus, everything
 * is allowed.
 */
export function roleRule(setting: string, role: string | undefined): PathRule {
  const rules = readRoles(setting)
  if (role === undefined) return () => true
  const roles = [...new Set([...KNOWN_ROLES, ...rules.keys()])]
  if (!roles.includes(role)) throw RoleUnknown({ role, known: roles })
  const globs = rules.get(role) ?? { allowed: [], denied: [] }
  return (path) => {
    if (globs.denied.some((isMatch) => isMatch(path))) return false
    return globs.allowed.length === 0 || globs.allowed.some((isMatch) => isMatch(path))
  }
}

type RoleGlobs = { readonly allowed: PathRule[]; readonly denied: PathRule[] }

function readRoles(setting: string): ReadonlyMap<string, RoleGlobs> {
  const roles = new Map<string, RoleGlobs>()
  const rules = setting.split(";").map((it) => it.trim())
  for (const rule of rules.filter((it) => it !== "")) {
    const [role = "", ...globs] = rule.split(/\s+/)
    const patterns = roles.get(role) ?? { allowed: [], denied: [] }
    roles.set(role, patterns)
    for (const glob of globs) {
      const isSigned = glob.startsWith("+") || glob.startsWith("-")
      if (!isSigned)
        throw RuleInvalid({ setting: "pack.roles", rule, wrong: "missing + or - before the glob" })
      const list = glob.startsWith("-") ? patterns.denied : patterns.allowed
      list.push(matcher(glob.slice(1), { setting: "pack.roles", rule }))
    }
  }
  return roles
}

export function denyRule(setting: string): PathRule {
  const globs = splitOutsideBraces(setting).map((it) => it.trim())
  const matchers = globs
    .filter((it) => it !== "")
    .map((glob) => matcher(glob, { setting: "pack.deny", rule: glob }))
  return (path) => matchers.some((isMatch) => isMatch(path))
}

function splitOutsideBraces(setting: string): readonly string[] {
  const globs = [""]
  let depth = 0
  for (const character of setting) {
    depth = Math.max(0, depth + depthStep(character))
    const isEnd = character === "\n" || (character === "," && depth === 0)
    if (character === "\n") depth = 0
    if (isEnd) globs.push("")
    else globs.push((globs.pop() ?? "") + character)
  }
  return globs
}

function depthStep(character: string): number {
  if (character === "{") return 1
  return character === "}" ? -1 : 0
}

/** A pattern that matches nothing would silently permit everything, so it is an error. */
function matcher(glob: string, where: { setting: string; rule: string }): PathRule {
  const wrong = wrongIn(glob)
  if (wrong !== undefined) throw RuleInvalid({ ...where, wrong })
  const isMatch = globMatcher(glob.endsWith("/") ? `${glob}**` : glob, { dot: true })
  // A plain name is a file, or a folder with everything in it; glob characters may be part of the
  // name.
  const folder = glob.endsWith("/") ? glob : `${glob}/`
  return (path) => path === glob || path.startsWith(folder) || isMatch(path)
}

function wrongIn(glob: string): string | undefined {
  if (glob.startsWith("/")) return "paths are relative to the root; remove the leading /"
  if (!hasBalancedBraces(glob)) return "unbalanced braces"
  return isUsableGlob(glob) ? undefined : "invalid glob"
}

function hasBalancedBraces(glob: string): boolean {
  let depth = 0
  for (const character of glob) {
    depth += depthStep(character)
    if (depth < 0) return false
  }
  return depth === 0
}
