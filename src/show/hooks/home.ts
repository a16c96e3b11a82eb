import path from "node:path"
import { PROJECT_FOLDER } from "#see/repo"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The user's own folder. A host that was not started from a shell may not have our variable, but an
 * installed bundle lies in `<home>/kit/`, and that says it as well.
 */
export function homeOf(environment: Environment, self: string): string | undefined {
  if (environment["QM_HOME"]) return path.resolve(environment["QM_HOME"])
  const kit = path.dirname(self)
  const isInstalled = path.basename(kit) === "kit" && path.basename(self) === "qm-hook.mjs"
  if (isInstalled) return path.dirname(kit)
  const home = environment["HOME"] ?? environment["USERPROFILE"]
  return home ? path.join(home, PROJECT_FOLDER) : undefined
}
