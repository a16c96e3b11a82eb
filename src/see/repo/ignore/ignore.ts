import { bytesOf, type Effort, type Glob, matchesGlob, parseGlob } from "./glob.ts"

/** Each rule is tried on each file; the longest collections in use have some hundred. */
const MOST_IGNORE_RULES = 5_000

/** A pattern is matched in steps of its length; longer than any path, it cannot match one. */
const LONGEST_IGNORE_PATTERN = 4_096

/** Read in each folder, the later ones over the earlier: git's, that of search tools, and ours. */
export const IGNORE_FILES = [".gitignore", ".ignore", ".qmignore"] as const

export type IgnoreRule = {
  readonly glob: Glob
  readonly isNegated: boolean
  readonly onlyFolders: boolean
  /** Without a slash in it, a rule is about names in any folder below. */
  readonly isAboutNames: boolean
}

export type IgnoreLevel = { readonly folder: string; readonly rules: readonly IgnoreRule[] }

export function parseIgnoreRules(content: Buffer): readonly IgnoreRule[] {
  const text = content.toString("latin1")
  const lines = text.replace(BYTE_ORDER_MARK, "").split("\n", MOST_IGNORE_RULES)
  return lines.flatMap((line) => {
    const rule = parseRule(line)
    return rule === undefined ? [] : [rule]
  })
}

/**
 * What the rules say of a path, given all levels from the top down: the last one that matches
 * counts. Whether a folder above it is ignored is the caller's to know: nothing in an ignored folder can be
 * taken back in.
 */
export function isIgnored(
  levels: readonly IgnoreLevel[],
  entry: { readonly path: string; readonly isFolder: boolean },
  effort: Effort,
): boolean {
  const path = bytesOf(entry.path)
  const name = path.slice(path.lastIndexOf("/") + 1)
  for (const { folder, rules } of levels.toReversed()) {
    const below = folder === "" ? path : path.slice(bytesOf(folder).length + 1)
    for (let at = rules.length - 1; at >= 0; at--) {
      const rule = rules[at]
      if (rule === undefined || (rule.onlyFolders && !entry.isFolder)) continue
      if (matchesGlob(rule.glob, rule.isAboutNames ? name : below, effort)) return !rule.isNegated
    }
  }
  return false
}

const BYTE_ORDER_MARK = /^\xef\xbb\xbf/

function parseRule(line: string): IgnoreRule | undefined {
  if (line.startsWith("#") || line.length > LONGEST_IGNORE_PATTERN) return undefined
  const trimmed = withoutTrailingSpaces(line.endsWith("\r") ? line.slice(0, -1) : line)
  const isNegated = trimmed.startsWith("!")
  const given = isNegated ? trimmed.slice(1) : trimmed
  const onlyFolders = given.endsWith("/")
  const pattern = onlyFolders ? given.slice(0, -1) : given
  if (pattern === "") return undefined
  const isAboutNames = !pattern.includes("/")
  const glob = parseGlob(pattern.startsWith("/") ? pattern.slice(1) : pattern)
  return { glob, isNegated, onlyFolders, isAboutNames }
}

/** Spaces at the end do not count, unless escaped. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line.charAt(end - 1) === " ") end--
  const [backslashes = ""] = /\\*$/.exec(line.slice(0, end)) ?? []
  const keepsOne = backslashes.length % 2 === 1 && end < line.length
  return line.slice(0, keepsOne ? end + 1 : end)
}
