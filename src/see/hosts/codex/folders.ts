import path from "node:path"
import { findUp, foldersDown } from "../ancestors.ts"
import type { Place } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import type { Look } from "../look.ts"

/** `~/.codex`, or where CODEX_HOME says, without links: so Codex names what lies in it. */
export async function codexHome(place: Place, look: Look): Promise<string> {
  const given = place.environment["CODEX_HOME"]
  const home = given === undefined || given === "" ? path.join(place.home, ".codex") : given
  return (await look.realPath(home)) ?? path.resolve(home)
}

/** Where the machine's config and skills lie. */
export function systemFolder(place: Place): string {
  if (place.platform !== "win32") return "/etc/codex"
  return path.win32.join(place.environment["ProgramData"] ?? "C:\\ProgramData", "OpenAI", "Codex")
}

/** From the nearest folder with a marker down to the working directory; else only the latter. */
export async function projectFolders(
  look: Look,
  cwd: string,
  markers: readonly string[],
): Promise<readonly string[]> {
  const root = await findUp(cwd, (folder) => hasMarker(look, folder, markers))
  return root === undefined ? [cwd] : foldersDown(root, cwd)
}

async function hasMarker(look: Look, folder: string, markers: readonly string[]): Promise<boolean> {
  for (const marker of markers) {
    if ((await look.realPath(path.join(folder, marker))) !== undefined) return true
  }
  return false
}

/** The same for config files, where a `.git` folder counts only when it is a repository. */
export async function configFolders(
  look: Look,
  cwd: string,
  markers: readonly string[],
): Promise<readonly string[]> {
  const root = await findUp(cwd, async (folder) => {
    for (const marker of markers) {
      const at = path.join(folder, marker)
      if ((await look.realPath(at)) === undefined) continue
      if (marker !== ".git" || (await isRepository(look, at))) return true
    }
    return false
  })
  return root === undefined ? [cwd] : foldersDown(root, cwd)
}

async function isRepository(look: Look, dotGit: string): Promise<boolean> {
  const { kind } = await look.peek(dotGit, SETTINGS_LIMIT_BYTES)
  return kind !== "directory" || (await look.realPath(path.join(dotGit, "HEAD"))) !== undefined
}

/** The main repository: a worktree is trusted as the repository is that it belongs to. */
export async function mainRepository(look: Look, cwd: string): Promise<string | undefined> {
  const top = await findUp(cwd, async (folder) => {
    const dotGit = path.join(folder, ".git")
    return (await look.realPath(dotGit)) !== undefined && (await isRepository(look, dotGit))
  })
  if (top === undefined) return undefined
  const dotGit = await look.peek(path.join(top, ".git"), SETTINGS_LIMIT_BYTES)
  if (dotGit.kind !== "file") return top
  const pointer = /^gitdir:\s*(\S.*)$/m.exec(dotGit.bytes.toString())?.[1]?.trimEnd()
  const worktrees = pointer === undefined ? "" : path.dirname(path.resolve(top, pointer))
  return path.basename(worktrees) === "worktrees" ? path.dirname(path.dirname(worktrees)) : top
}
