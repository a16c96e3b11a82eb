import { PATTERN_REACH_CHARACTERS } from "./limits.ts"

/**
 * The longest value a pattern reads. More than the longest key of the table that has a fixed
 * length; what follows a value that was judged a secret goes with it.
 */
const LONGEST_JUDGED_CHARACTERS = 256

/** Where a secret lies in the text that was looked at. */
export type SecretMatch = { readonly start: number; readonly end: number; readonly kind: string }

/** Characters looked at so far, by all rules. Tests compare it; nothing else reads it. */
export type Work = { steps: number }

export type KeywordHit = { readonly text: string; readonly at: number; readonly work: Work }

export type Rule = {
  readonly keywords: readonly string[]
  /** Of those that are one; tests look whether each part of it has a bound. */
  readonly pattern?: RegExp
  find(place: KeywordHit): SecretMatch | undefined
}

export type Parts = {
  readonly secret: string
  readonly groups: Readonly<Record<string, string | undefined>>
}

/**
 * A rule from a regular expression that begins at the keyword. Groups `lead` and `quote` stay in
 * the text, group `secret` is what goes (without it: all after them), group `back` is the part of
 * the secret before the keyword, taken by a look behind. Every quantifier has an upper bound: one
 * try looks at no more than PATTERN_REACH_CHARACTERS.
 */
export function patternRule(fields: {
  readonly kind: string | ((parts: Parts) => string)
  readonly keywords: readonly string[]
  readonly pattern: RegExp
  readonly isSecret: (parts: Parts) => boolean
  /** What goes with a secret that is longer than a pattern reads. */
  readonly rest?: RegExp
}): Rule {
  const { kind, keywords, pattern, isSecret, rest = LETTERS_AND_DIGITS } = fields
  return {
    keywords,
    pattern,
    find({ text, at, work }) {
      work.steps += PATTERN_REACH_CHARACTERS
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (match === null) return undefined
      const groups = match.groups ?? {}
      const lead = (groups["lead"]?.length ?? 0) + (groups["quote"]?.length ?? 0)
      const inside = groups["secret"] ?? match[0].slice(lead)
      const back = groups["back"] ?? ""
      const parts = { secret: back + inside, groups }
      if (!isSecret(parts)) return undefined
      const end = at + lead + inside.length
      return {
        start: at + lead - back.length,
        end: end + lengthOfRest(text, end, rest),
        kind: typeof kind === "string" ? kind : kind(parts),
      }
    },
  }
}

/** Behind a key that fills the pattern comes the rest of the key, signs and all. */
const LETTERS_AND_DIGITS = /(?<=[\w.+/=-]{200})[\w.+/=-]*|[A-Za-z0-9]*/y

/** Runs only behind a secret, and the next secret begins after it: each character is read once. */
function lengthOfRest(text: string, end: number, rest: RegExp): number {
  rest.lastIndex = end
  return rest.exec(text)?.[0].length ?? 0
}

/** `{20,}` of the tables, with the upper bound that every pattern has. */
export function bounded(source: string): string {
  return source.replaceAll(",}", `,${LONGEST_JUDGED_CHARACTERS}}`)
}
