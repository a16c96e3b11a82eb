import { type Glob, parseGlob } from "#ground/base"

export const MOST_RISK_GLOBS = 200

export type RiskPaths = {
  patternFor(path: string): string | undefined
  decidingFor(path: string): DecidingPattern | undefined
}

type DecidingPattern = { readonly pattern: string; readonly takesBack: boolean }

/**
 * As in a .gitignore, the last matching pattern decides and `!` negates. An invalid pattern matches
 * nothing; `qm doctor` reports it.
 */
export function createRiskPaths(patterns: readonly string[]): RiskPaths {
  const rules = rulesOf(patterns).toReversed()
  const decidingFor = (path: string): DecidingPattern | undefined =>
    rules.find((it) => it.glob.kind === "usable" && it.glob.fits(path))
  return {
    decidingFor,
    patternFor(path) {
      const deciding = decidingFor(path)
      return deciding === undefined || deciding.takesBack ? undefined : deciding.pattern
    },
  }
}

type PatternUse =
  | { readonly kind: "fits"; readonly pattern: string; readonly files: number }
  | { readonly kind: "idle"; readonly pattern: string }
  | { readonly kind: "unusable"; readonly pattern: string; readonly why: string }

export function checkRiskPaths(
  patterns: readonly string[],
  paths: readonly string[],
): readonly PatternUse[] {
  const surplus = patterns.slice(MOST_RISK_GLOBS).map((pattern) => {
    const why = `only the first ${MOST_RISK_GLOBS} patterns are used`
    return { kind: "unusable" as const, pattern, why }
  })
  const uses = rulesOf(patterns).map(({ pattern, glob }): PatternUse => {
    if (glob.kind === "unusable") return { kind: "unusable", pattern, why: glob.why }
    const files = paths.filter((path) => glob.fits(path)).length
    return files === 0 ? { kind: "idle", pattern } : { kind: "fits", pattern, files }
  })
  return [...uses, ...surplus]
}

type RiskRule = { readonly pattern: string; readonly takesBack: boolean; readonly glob: Glob }

function rulesOf(patterns: readonly string[]): readonly RiskRule[] {
  return patterns.slice(0, MOST_RISK_GLOBS).map((pattern) => {
    const takesBack = pattern.startsWith("!")
    return { pattern, takesBack, glob: parseGlob(takesBack ? pattern.slice(1) : pattern) }
  })
}
