import { LONGEST_LABEL_RANGE } from "./limits.ts"

/** A bracket with citations, and the labels it stands for. */
export type LabelGroup = {
  readonly start: number
  readonly end: number
  readonly labels: readonly string[]
}

// Spaces and signs are counted, so that a long run of them costs nothing.
const SEPARATOR = "(?:[\\s,;&–-]|and){1,8}"
const INSIDE = `\\s{0,4}[PW]\\d{1,4}(?:${SEPARATOR}[PW]?\\d{1,4}){0,40}\\s{0,4}`
const BRACKETED = new RegExp(`\\[${INSIDE}\\]`, "gi")
const PARENTHESISED = new RegExp(`\\(${INSIDE}\\)`, "g")

/** [P1], [p1], [P1, P2], [P1–P3], [P1 and W2]. */
export function labelGroupsOf(text: string): readonly LabelGroup[] {
  return groupsBy(BRACKETED, text)
}

/** (P1), as some models write it; only with capitals, since (p3) is often a page. */
export function parenthesisedGroupsOf(text: string): readonly LabelGroup[] {
  return groupsBy(PARENTHESISED, text)
}

function groupsBy(pattern: RegExp, text: string): readonly LabelGroup[] {
  return [...text.matchAll(pattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    labels: labelsIn(match[0].slice(1, -1)),
  }))
}

const PART = /([PW]?)(\d{1,4})([^PW\d]*)/gi

function labelsIn(inside: string): readonly string[] {
  const labels = new Set<string>()
  let letter = "P"
  let from: number | undefined
  for (const [, own = "", digits = "", after = ""] of inside.matchAll(PART)) {
    letter = own === "" ? letter : own.toUpperCase()
    const number = Number(digits)
    const isRange = from !== undefined && number > from && number - from < LONGEST_LABEL_RANGE
    for (let it = isRange ? (from ?? number) : number; it <= number; it++) labels.add(letter + it)
    from = /^\s*[–-]\s*$/.test(after) ? number : undefined
  }
  return [...labels]
}
