/**
 * A changed file as the drawer names it: from the run's folder where it lies below it, else from
 * the root. Heads of diffs say `b/tmp/x` for `/tmp/x`, so the first slash may have gone with the `b/`.
 */
export function changedPath(inDiff: string, inCall: string, cwd: string): string {
  const path = inDiff === "" || inCall === `/${inDiff}` ? inCall : inDiff
  const base = cwd.endsWith("/") ? cwd : `${cwd}/`
  const rooted = path.startsWith("/") ? path : `/${path}`
  return rooted.startsWith(base) ? rooted.slice(base.length) : path
}
