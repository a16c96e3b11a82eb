import { LONGEST_GLOB_UNITS, LONGEST_MATCHED_PATH_UNITS, MOST_GLOB_SPELLINGS } from "./limits.ts"

/**
 * Patterns for paths, without a package and without a regular expression: this runs in a hook, and
 * no pattern may make it search for long. The steps are at most the length of the pattern times
 * that of the path.
 */
export type Glob =
  | { readonly kind: "usable"; readonly fits: (path: string) => boolean }
  | { readonly kind: "unusable"; readonly why: string }

export function parseGlob(written: string): Glob {
  const pattern = written.replace(/^(?:\.?\/)+/, "")
  const why = wrongWith(pattern)
  if (why !== undefined) return { kind: "unusable", why }
  const spelled = spellOut(pattern)
  if (spelled === undefined) return { kind: "unusable", why: TOO_MANY_CHOICES }
  const readings = spelled.flatMap((it) => readingsOf(it, { isRooted: written.startsWith("/") }))
  const parsed = readings.map((it) => it.split("/").map(parseName))
  return {
    kind: "usable",
    fits(path) {
      if (path.length > LONGEST_MATCHED_PATH_UNITS) return false
      const names = path.split("/")
      return parsed.some((globs) => fitsPath(globs, names))
    },
  }
}

const TOO_MANY_CHOICES = `its braces are open, nested or have more than ${MOST_GLOB_SPELLINGS} readings`

function wrongWith(pattern: string): string | undefined {
  if (pattern === "") return "it is empty"
  if (pattern.length > LONGEST_GLOB_UNITS) return `it is longer than ${LONGEST_GLOB_UNITS} signs`
  const names = pattern.split("/")
  if (names.includes("..") || names.includes(".")) return "it has . or .. as a name"
  if (names.slice(0, -1).includes("")) return "it has an empty name"
  if (pattern.endsWith("\\")) return "it ends in a backslash"
  return undefined
}

/**
 * A name without a slash is meant wherever it lies. What has no star may be a folder, and a slash
 * at the end says that it is one: then all that is below it is meant.
 */
function readingsOf(pattern: string, { isRooted }: { readonly isRooted: boolean }) {
  const bare = pattern.replace(/\/$/, "")
  const anchored = isRooted || bare.includes("/") ? bare : `**/${bare}`
  if (pattern !== bare) return [`${anchored}/**`]
  const isPlain = !/(?<!\\)[*?[]/.test(bare)
  return isPlain ? [anchored, `${anchored}/**`] : [anchored]
}

/** Each way to read the braces of a pattern; undefined where they are too many, nested or open. */
function spellOut(pattern: string): readonly string[] | undefined {
  let spelled = [""]
  for (const part of pattern.split(/(?<!\\)(\{[^{}]*,[^{}]*\})/)) {
    const isChoice = part.startsWith("{") && part.includes(",") && part.endsWith("}")
    if (!isChoice && /(?<!\\)\{[^}]*,|(?<!\\)\{[^{}]*\{/.test(part)) return undefined
    const choices = isChoice ? part.slice(1, -1).split(",") : [part]
    if (spelled.length * choices.length > MOST_GLOB_SPELLINGS) return undefined
    spelled = spelled.flatMap((before) => choices.map((it) => before + it))
  }
  return spelled
}

type Sign =
  | { readonly kind: "letter"; readonly letter: string }
  | { readonly kind: "any" }
  | { readonly kind: "one" }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly ranges: readonly Range[] }
type Range = { readonly from: string; readonly to: string }

/** `**`, which takes any names, or what one name has to be. */
type NameGlob = "names" | readonly Sign[]

function parseName(name: string): NameGlob {
  if (name === "**") return "names"
  const signs: Sign[] = []
  const letters = Array.from(name)
  for (let at = 0; at < letters.length; ) {
    const { sign, next } = readSign(letters, at)
    signs.push(sign)
    at = next
  }
  return signs
}

function readSign(letters: readonly string[], at: number): { sign: Sign; next: number } {
  const letter = letters[at] ?? ""
  if (letter === "*") return { sign: { kind: "any" }, next: at + 1 }
  if (letter === "?") return { sign: { kind: "one" }, next: at + 1 }
  if (letter === "\\") {
    return { sign: { kind: "letter", letter: letters[at + 1] ?? "" }, next: at + 2 }
  }
  const read = letter === "[" ? readClass(letters, at) : undefined
  return read ?? { sign: { kind: "letter", letter }, next: at + 1 }
}

/** `[a-z]`, `[!a]`. Without an end the bracket is a letter like others. */
function readClass(letters: readonly string[], open: number) {
  const isNegated = letters[open + 1] === "!" || letters[open + 1] === "^"
  const first = open + (isNegated ? 2 : 1)
  const close = letters.indexOf("]", first + 1)
  if (close < 0) return undefined
  const ranges: Range[] = []
  for (let at = first; at < close; at++) {
    const from = letters[at] ?? ""
    const to = letters[at + 2] ?? ""
    const isRange = letters[at + 1] === "-" && at + 2 < close
    ranges.push({ from, to: isRange ? to : from })
    if (isRange) at += 2
  }
  const sign: Sign = { kind: "class", isNegated, ranges }
  return { sign, next: close + 1 }
}

function fitsPath(globs: readonly NameGlob[], names: readonly string[]): boolean {
  // `auth/**` is what lies below, and not a file of that name.
  const isBelow = globs.at(-1) === "names"
  if (isBelow) {
    return fitsAll([...globs, [{ kind: "any" }]], names, NAMES)
  }
  return fitsAll(globs, names, NAMES)
}

type Rule<Part, One> = { isAny(part: Part): boolean; isOne(part: Part, one: One): boolean }

const NAMES: Rule<NameGlob, string> = {
  isAny: (glob) => glob === "names",
  // No name is empty, though a star alone would take one that is.
  isOne: (glob, name) =>
    glob !== "names" && name !== "" && fitsAll(glob, Array.from(name), LETTERS),
}

const LETTERS: Rule<Sign, string> = {
  isAny: (sign) => sign.kind === "any",
  isOne: (sign, letter) => {
    if (sign.kind === "letter") return sign.letter === letter
    if (sign.kind !== "class") return sign.kind === "one"
    return sign.ranges.some((it) => it.from <= letter && letter <= it.to) !== sign.isNegated
  },
}

/** After a failure only the last star takes one more, so that nothing is searched twice. */
function fitsAll<Part, One>(
  pattern: readonly Part[],
  given: readonly One[],
  rule: Rule<Part, One>,
): boolean {
  let part = 0
  let at = 0
  let last: { readonly part: number; readonly at: number } | undefined
  while (at < given.length) {
    const [wanted, one] = [pattern[part], given[at]]
    if (wanted !== undefined && rule.isAny(wanted)) {
      last = { part, at }
      part += 1
    } else if (wanted !== undefined && one !== undefined && rule.isOne(wanted, one)) {
      part += 1
      at += 1
    } else {
      if (last === undefined) return false
      last = { part: last.part, at: last.at + 1 }
      part = last.part + 1
      at = last.at
    }
  }
  return pattern.slice(part).every((it) => rule.isAny(it))
}
