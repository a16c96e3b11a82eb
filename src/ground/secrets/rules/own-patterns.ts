import type { KnownSecretFinder } from "../known-secrets.ts"
import { PATTERN_REACH_CHARACTERS } from "../limits.ts"
import type { SecretMatch } from "./rule.ts"

/** A sticky pattern that never goes back, and the fixed text it begins with. */
export type OwnPattern = { readonly start: string; readonly pattern: RegExp }

/** Finds texts of the user's own formats. Undefined without any, as for most users. */
export function createOwnPatterns(patterns: readonly OwnPattern[]): KnownSecretFinder | undefined {
  if (patterns.length === 0) return undefined
  return (text, work) => {
    const matches: SecretMatch[] = []
    for (const { start, pattern } of patterns) {
      work.steps += text.length
      for (let at = text.indexOf(start); at >= 0; ) {
        work.steps += PATTERN_REACH_CHARACTERS
        pattern.lastIndex = at
        const length = pattern.exec(text)?.[0].length
        if (length !== undefined) matches.push({ start: at, end: at + length, kind: "own-pattern" })
        at = text.indexOf(start, at + (length ?? start.length))
      }
    }
    return matches
  }
}
