import picomatch from "picomatch"
import { matchSequence } from "#ground/base"
import { LONGEST_MATCHED_PATH_UNITS } from "../limits.ts"

/** Expansions of one pattern, `{a,b}/{c,d}` has four; each is a search of its own. */
const MOST_GLOB_SPELLINGS = 64

/** Real path patterns have tens of characters. */
const LONGEST_GLOB_UNITS = 1_000

/**
 * For untrusted patterns: it never throws, and a pattern that could search for long matches
 * nothing.
 */
export function globMatcher(
  pattern: string,
  options: { readonly dot?: boolean } = {},
): (path: string) => boolean {
  const isMatch = compile(pattern, options.dot ?? false)
  return (path) => path.length <= LONGEST_MATCHED_PATH_UNITS && isMatch(path)
}

export function isUsableGlob(pattern: string): boolean {
  if (pattern === "" || pattern.length > LONGEST_GLOB_UNITS || hasCostlyGroup(pattern)) return false
  return spellingCount(pattern) <= MOST_GLOB_SPELLINGS && (isLight(pattern) || isPlain(pattern))
}

function compile(pattern: string, dot: boolean): (path: string) => boolean {
  if (!isUsableGlob(pattern)) return () => false
  if (isLight(pattern)) return withPicomatch(pattern, dot)
  const spelled = spellOut(asPicomatchReads(pattern)).map((it) => it.split("/"))
  return (path) => {
    const names = path.split("/")
    return spelled.some((globs) => fitsPath(globs, names, dot))
  }
}

/**
 * `a/**` also matches `a`, but after a star `**` takes at least one name; several `**` in a row
 * count as one.
 */
function asPicomatchReads(pattern: string): string {
  const globs = pattern.replace(/^\.\//, "").split("/")
  const merged = globs.filter((it, index) => it !== "**" || globs[index + 1] !== "**")
  const [before, last] = merged.slice(-2)
  const isBehindStar = last === "**" && before !== undefined && before.endsWith("*")
  return (isBehindStar ? [...merged, "*"] : merged).join("/")
}

function withPicomatch(pattern: string, dot: boolean): (path: string) => boolean {
  try {
    return picomatch(pattern, { dot })
  } catch {
    return () => false
  }
}

/**
 * Picomatch makes a regular expression that tries every way to distribute a path among the stars.
 * One star per name has one way; each further one, and each `**`, has as many as the path is long.
 * On 4,096 letters `*a*b` takes 4 ms and `*a*a*b` takes six seconds.
 */
function isLight(pattern: string): boolean {
  const globs = pattern.split("/")
  const anywhere = globs.filter((it) => it === "**").length
  const inNames = globs.reduce(
    (sum, it) => sum + (it === "**" ? 0 : Math.max(0, starsIn(it) - 1)),
    0,
  )
  const spellings = spellingCount(pattern)
  if (spellings === 1) return inNames <= 1 && anywhere + inNames <= 2
  const hidesFolders = /\{[^{}]*\//.test(pattern)
  return !hidesFolders && anywhere + inNames <= 1 && (inNames === 0 || spellings <= 4)
}

/** A class followed by a plus, and a negation, repeat like a star. */
function starsIn(glob: string): number {
  return glob.match(/\*+|\]\+|!\(/g)?.length ?? 0
}

/**
 * Nested and repeated groups can take time that doubles with each letter. A slash inside a group
 * would hide how many stars share one name.
 */
function hasCostlyGroup(pattern: string): boolean {
  const isNested = /\([^(){]*[({]|\{[^({}]*[({]/.test(pattern)
  const isRepeated = /[*+]\(|[)}][+*?]|\([^()]*[*+?]/.test(pattern)
  const isAcross = /\[[^[\]]*\/|\{[^{}]*\/|\([^()]*\//.test(pattern)
  return isNested || isRepeated || (isAcross && !isPlain(pattern))
}

function spellingCount(pattern: string): number {
  const groups = pattern.match(/\{[^}]*\}?|\([^)]*\)?/g) ?? []
  return groups.reduce((product, it) => product * it.split(/[,|]/).length, 1)
}

/** Names, stars, question marks and simple braces are matched without picomatch. */
function isPlain(pattern: string): boolean {
  return pattern.split(/\{([^{},]+(?:,[^{},]+)+)\}/).every((it) => /^[\w.\-@ /~#%=*?,]*$/.test(it))
}

function spellOut(pattern: string): readonly string[] {
  const [, before = "", inside, after = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  if (inside === undefined) return [pattern]
  return inside.split(",").flatMap((it) => spellOut(`${before}${it}${after}`))
}

function fitsPath(globs: readonly string[], names: readonly string[], dot: boolean): boolean {
  return matchSequence(globs, names, {
    isAny: (glob) => glob === "**",
    mayTake: (name) => dot || !name.startsWith("."),
    isOne: (glob, name) => fitsName(glob, name, dot),
  })
}

function fitsName(glob: string, name: string, dot: boolean): boolean {
  const isHidden = name.startsWith(".") && /^[*?]/.test(glob)
  if (isHidden && !dot) return false
  // A star matches a name, and no name is empty.
  if (name === "") return glob === ""
  return matchSequence(glob.split(""), name.split(""), {
    isAny: (letter) => letter === "*",
    isOne: (letter, other) => letter === "?" || letter === other,
  })
}
