import { PATTERN_REACH_CHARACTERS } from "../limits.ts"

/**
 * The longest value a pattern reads: more than the longest fixed-length key of the table. Text
 * directly after a secret value is removed with it.
 */
const LONGEST_JUDGED_CHARACTERS = 256

export type SecretMatch = { readonly start: number; readonly end: number; readonly kind: string }

/** Characters examined by all rules; only tests read it. */
export type Work = { steps: number }

export type KeywordHit = {
  readonly text: string
  readonly at: number
  readonly work: Work
  readonly rejections: Rejections
}

/**
 * Candidates that overlap and are all rejected: `token=token=token=…` has one per few characters,
 * each as long as a value may be. After this many the rest of the stretch is not judged again.
 */
const MOST_OVERLAPPING_REJECTIONS = 8

type Rejections = ReturnType<typeof createRejections>

/** One per scan of a text. */
export function createRejections() {
  let count = 0
  let until = 0
  return {
    isCrowded(at: number): boolean {
      if (at >= until) count = 0
      return count >= MOST_OVERLAPPING_REJECTIONS
    },
    add(end: number): void {
      count++
      until = Math.max(until, end)
    },
  }
}

export type Rule = {
  readonly keywords: readonly string[]
  /** Tests check that each quantifier has an upper bound. */
  readonly pattern?: RegExp
  find(place: KeywordHit): SecretMatch | undefined
}

export type Parts = {
  readonly secret: string
  readonly groups: Readonly<Record<string, string | undefined>>
}

/**
 * A rule from a regular expression that begins at the keyword. Groups `lead` and `quote` stay,
 * group `secret` is replaced (without it: everything after them), group `back` is the part of the
 * secret before the keyword, matched by a lookbehind. Every quantifier has an upper bound: one try
 * reads at most PATTERN_REACH_CHARACTERS.
 */
export function patternRule(fields: {
  readonly kind: string | ((parts: Parts) => string)
  readonly keywords: readonly string[]
  readonly pattern: RegExp
  readonly isSecret: (parts: Parts) => boolean
  readonly rest?: RegExp
}): Rule {
  const { kind, keywords, isSecret, rest = LETTERS_AND_DIGITS } = fields
  return {
    keywords,
    get pattern() {
      return fields.pattern
    },
    find({ text, at, work, rejections }) {
      if (rejections.isCrowded(at)) return undefined
      work.steps += PATTERN_REACH_CHARACTERS
      const { pattern } = fields
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (match === null) return undefined
      const groups = match.groups ?? {}
      const lead = (groups["lead"]?.length ?? 0) + (groups["quote"]?.length ?? 0)
      const inside = groups["secret"] ?? match[0].slice(lead)
      const back = groups["back"] ?? ""
      const parts = { secret: back + inside, groups }
      if (!isSecret(parts)) {
        rejections.add(at + match[0].length)
        return undefined
      }
      const end = at + lead + inside.length
      return {
        start: at + lead - back.length,
        end: end + lengthOfRest(text, end, rest),
        kind: typeof kind === "string" ? kind : kind(parts),
      }
    },
  }
}

/** After a key that fills the pattern, the rest of the key is removed including punctuation. */
const LETTERS_AND_DIGITS = /(?<=[\w.+/=-]{200})[\w.+/=-]*|[A-Za-z0-9]*/y

/** Runs only after a secret, and the next search starts behind it: each character is read once. */
function lengthOfRest(text: string, end: number, rest: RegExp): number {
  rest.lastIndex = end
  return rest.exec(text)?.[0].length ?? 0
}

export function bounded(source: string): string {
  return source.replaceAll(",}", `,${LONGEST_JUDGED_CHARACTERS}}`)
}
