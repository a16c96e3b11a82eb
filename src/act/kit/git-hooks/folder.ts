import path from "node:path"
import { statFile } from "#ground/base"
import { askUserGit, type UserGit } from "./user-git.ts"

export type HooksFolder =
  | { readonly kind: "ours to use"; readonly path: string; readonly isDefault: boolean }
  /** Somebody else writes there, or more than this repository hangs on it. */
  | { readonly kind: "left alone"; readonly path: string; readonly why: string }

/** Where git looks for the hooks of this repository. */
export async function findHooksFolder(git: UserGit): Promise<HooksFolder | undefined> {
  const { gitCommonDirectory: common, root } = git.repository
  if (common === undefined) return undefined
  const set = await configuredFolder(git)
  if (set === undefined) return await lookedAt(path.join(common, "hooks"), { isDefault: true })

  const folder = path.resolve(root, set.value)
  const isOfGit = isInside(common, folder)
  if (!set.belongsToRepository) {
    return { kind: "left alone", path: folder, why: "it serves all your repositories" }
  }
  // Husky and its like write there again at every install, and what is tracked goes to everybody.
  if (isInside(root, folder) && !isOfGit) {
    return { kind: "left alone", path: folder, why: "it is a folder of the project" }
  }
  return await lookedAt(folder, { isDefault: false })
}

async function lookedAt(
  folder: string,
  { isDefault }: { readonly isDefault: boolean },
): Promise<HooksFolder> {
  const found = await statFile(folder)
  const isUsable =
    found.kind === "missing" || (found.kind === "found" && found.what === "directory")
  if (isUsable) return { kind: "ours to use", path: folder, isDefault }
  const what = found.kind === "found" ? `it is a ${found.what}` : "it cannot be read"
  return { kind: "left alone", path: folder, why: what }
}

type Configured = { readonly value: string; readonly belongsToRepository: boolean }

/** As `scope NUL value NUL`; git itself resolves a `~`. */
async function configuredFolder(git: UserGit): Promise<Configured | undefined> {
  const args = ["config", "--null", "--show-scope", "--type=path", "--get", "core.hooksPath"]
  const answer = await askUserGit(git, { args })
  const [scope = "", value = ""] = answer?.output.toString().split("\0") ?? []
  if (answer?.code !== 0 || value === "") return undefined
  return { value, belongsToRepository: scope === "local" || scope === "worktree" }
}

function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
