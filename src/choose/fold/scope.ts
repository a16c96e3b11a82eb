import { posix } from "node:path"
import { globMatcher } from "#see/hosts"

/** A path as the repository writes it; what lies outside of it stays absolute. */
export function pathWithin(root: string, path: string): string {
  const slashed = path.replaceAll("\\", "/")
  const base = root.replaceAll("\\", "/").replace(/\/$/, "")
  const below = slashed.startsWith(`${base}/`) ? slashed.slice(base.length + 1) : slashed
  const plain = posix.normalize(below)
  return plain === "." ? below : plain.replace(/\/$/, "")
}

/** Paths that the declared scope does not have, each once. An empty scope is anywhere. */
export function outOfScope(scope: readonly string[], paths: readonly string[]): string[] {
  if (scope.length === 0) return []
  const rules = scope.map(matcher)
  return [...new Set(paths)].filter((path) => !rules.some((isMatch) => isMatch(path)))
}

/** A plain name is a file, or a folder with all that is in it; signs of a glob may be its letters. */
function matcher(rule: string): (path: string) => boolean {
  if (rule === "" || rule === ".") return (path) => !path.startsWith("/") && !path.startsWith("..")
  const isMatch = globMatcher(rule.endsWith("/") ? `${rule}**` : rule, { dot: true })
  const folder = rule.endsWith("/") ? rule : `${rule}/`
  return (path) => path === rule || path.startsWith(folder) || isMatch(path)
}
