import {
  LONGEST_GLOB_UNITS,
  LONGEST_PATH_UNITS,
  MOST_KNOWN_FOLDERS,
  MOST_SPELLINGS,
} from "./limits.ts"

/**
 * Whether a path fits one of several patterns. Without a package, because hooks start at every tool
 * call; without regular expressions, so that no pattern makes it search for long.
 *
 * `*` and `?` stay inside of a name, `**` crosses folders, `{a,b}` chooses. A pattern without a
 * slash fits a name at any depth, and one that fits a folder fits what is below: people who write
 * `*.sql` or `db/migrations` mean that. Hidden names are names like all others.
 */
export function createMatcher(patterns: readonly string[]): (path: string) => boolean {
  const spelled = patterns.filter(isUsable).flatMap(spellOut).map(anchored)
  const isListed = createLookup(spelled.flatMap((it) => listedOf(it) ?? []))
  const others = spelled.filter((it) => listedOf(it) === undefined)
  return (path) => {
    if (path.length > LONGEST_PATH_UNITS) return false
    if (isListed(path)) return true
    if (others.length === 0) return false
    const names = path.split("/")
    return others.some((globs) => fitsPath(globs, names))
  }
}

/**
 * Nearly all that people write are names and endings at any depth, and plain paths: those are looked
 * up, not tried, and each folder once. A hook may ask about 10,000 files.
 */
function createLookup(listed: readonly string[]): (path: string) => boolean {
  const wanted = new Set(listed.filter((it) => !isTried(it)))
  const tried = listed.filter(isTried).map((it) => it.slice("**/".length))
  const folders = new Map<string, boolean>()

  function isWanted(path: string): boolean {
    const slash = path.lastIndexOf("/")
    const name = path.slice(slash + 1)
    const dot = name.lastIndexOf(".")
    if (wanted.has(`**/${name}`) || wanted.has(path)) return true
    if (dot >= 0 && wanted.has(`**/*${name.slice(dot)}`)) return true
    if (tried.some((it) => fitsName(it, name))) return true
    return slash > 0 && isFolderWanted(path.slice(0, slash))
  }

  function isFolderWanted(folder: string): boolean {
    const known = folders.get(folder)
    if (known !== undefined) return known
    if (folders.size >= MOST_KNOWN_FOLDERS) folders.clear()
    const found = isWanted(folder)
    folders.set(folder, found)
    return found
  }

  return listed.length === 0 ? () => false : isWanted
}

/** One name at any depth, or a plain path; undefined for what only the whole path can tell. */
function listedOf(globs: readonly string[]): string | undefined {
  const names = globs.slice(0, -1)
  const [any, name = ""] = names
  if (names.length === 2 && any === "**" && name !== "**") return `**/${name}`
  return names.length > 0 && names.every((it) => !/[*?]/.test(it)) ? names.join("/") : undefined
}

/** Not looked up: anything but a name, and an ending such as `*.ts`. */
function isTried(listed: string): boolean {
  return /[*?]/.test(listed.replace(/^\*\*\/(?:\*(?=\.[^*?.]+$))?/, ""))
}

function isUsable(pattern: string): boolean {
  const choices = pattern.match(/\{[^{}]*\}/g) ?? []
  const spellings = choices.reduce((product, it) => product * it.split(",").length, 1)
  return pattern !== "" && pattern.length <= LONGEST_GLOB_UNITS && spellings <= MOST_SPELLINGS
}

function spellOut(pattern: string): readonly string[] {
  const [whole, inside] = /\{([^{}]*)\}/.exec(pattern) ?? []
  if (whole === undefined || inside === undefined) return [pattern]
  const [before = "", ...after] = pattern.split(whole)
  const rest = after.join(whole)
  return inside.split(",").flatMap((it) => spellOut(`${before}${it}${rest}`))
}

/** As names, ending in `**` since what is below a fitting folder fits too. */
function anchored(pattern: string): readonly string[] {
  const names = pattern.replace(/^(?:\.?\/)+/, "").split("/")
  const kept = names.filter((it) => it !== "" && it !== ".")
  const isAnywhere = kept.length === 1 && !pattern.startsWith("/")
  return [...(isAnywhere ? ["**"] : []), ...kept, "**"]
}

function fitsPath(globs: readonly string[], names: readonly string[]): boolean {
  return fitsAll(globs, names, { isAny: (glob) => glob === "**", isOne: fitsName })
}

function fitsName(glob: string, name: string): boolean {
  const star = glob.indexOf("*")
  if (star === -1 && !glob.includes("?")) return glob === name
  const rest = glob.slice(1)
  if (star === 0 && !/[*?]/.test(rest)) return name.endsWith(rest)
  return fitsAll([...glob], [...name], {
    isAny: (letter) => letter === "*",
    isOne: (letter, other) => letter === "?" || letter === other,
  })
}

type Fits = { isAny(part: string): boolean; isOne(part: string, one: string): boolean }

/** After a failure only the last star takes one more: the steps are at most length times length. */
function fitsAll(pattern: readonly string[], given: readonly string[], fits: Fits): boolean {
  let part = 0
  let at = 0
  let star: { part: number; at: number } | undefined
  while (at < given.length) {
    const wanted = pattern[part]
    if (wanted !== undefined && fits.isAny(wanted)) {
      star = { part, at }
      part += 1
    } else if (wanted !== undefined && fits.isOne(wanted, given[at] ?? "")) {
      part += 1
      at += 1
    } else if (star === undefined) {
      return false
    } else {
      star = { part: star.part, at: star.at + 1 }
      part = star.part + 1
      at = star.at
    }
  }
  return pattern.slice(part).every((it) => fits.isAny(it))
}
