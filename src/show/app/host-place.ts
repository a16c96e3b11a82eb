import path from "node:path"
import type { Place } from "#see/hosts"
import type { OperationDeps } from "./operations.ts"

type Deps = Pick<OperationDeps, "environment" | "places" | "resolve">

/** Where a host would start, for a path as the person gave it. */
export function hostPlace(deps: Deps, given: string): Place {
  return {
    workingDirectory: deps.resolve(given),
    home: userHome(deps),
    environment: deps.environment(),
    platform: platformHere(),
  }
}

/** Hosts look in the person's home, which is not where our own files lie when QM_HOME is set. */
export function userHome(deps: Pick<Deps, "environment" | "places">): string {
  const { HOME, USERPROFILE } = deps.environment()
  return path.resolve(HOME || USERPROFILE || path.dirname(deps.places().home))
}

export function platformHere(): "linux" | "darwin" | "win32" {
  const { platform } = process
  return platform === "darwin" || platform === "win32" ? platform : "linux"
}
