import { bytesOf, type Effort, type Glob, matchesGlob, parseGlob } from "./glob.ts"

/** Each rule is tried on each file; the longest collections in use have some hundred. */
const MOST_IGNORE_RULES = 5_000

/** Longer than any path, so it cannot match one. */
const LONGEST_IGNORE_PATTERN = 4_096

/** In each folder later files take precedence: git's, that of search tools, and ours. */
export const IGNORE_FILES = [".gitignore", ".ignore", ".qmignore"] as const

export type IgnoreRule = {
  readonly glob: Glob
  readonly isNegated: boolean
  readonly onlyFolders: boolean
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
 * The last matching rule over all levels counts. The caller must know whether a parent folder is
 * ignored: nothing inside it can be included again.
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
  const body = isNegated ? trimmed.slice(1) : trimmed
  const onlyFolders = body.endsWith("/")
  const pattern = onlyFolders ? body.slice(0, -1) : body
  if (pattern === "") return undefined
  const isAboutNames = !pattern.includes("/")
  const glob = parseGlob(pattern.startsWith("/") ? pattern.slice(1) : pattern)
  return { glob, isNegated, onlyFolders, isAboutNames }
}

/** Trailing spaces do not count unless escaped. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line.charAt(end - 1) === " ") end--
  const [backslashes = ""] = /(?<!\\)\\*$/.exec(line.slice(0, end)) ?? []
  const keepsOne = backslashes.length % 2 === 1 && end < line.length
  return line.slice(0, keepsOne ? end + 1 : end)
}
