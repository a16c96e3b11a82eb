import path from "node:path"
import type { OperationDeps } from "./operations.ts"

/** From the root with forward slashes; undefined for what lies outside of the repository. */
export function placeInside(
  deps: Pick<OperationDeps, "places" | "resolve">,
  given: string,
): string | undefined {
  const way = path.relative(deps.places().repository.root, deps.resolve(given))
  if (way === "" || way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way)) {
    return undefined
  }
  return way.split(path.sep).join("/")
}
