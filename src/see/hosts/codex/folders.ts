import path from "node:path"
import { findUp, foldersDown } from "../files/folder-walk.ts"
import type { HostPlace } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import type { SurveyReader } from "../survey-reader.ts"

/**
 * `~/.codex`, or CODEX_HOME, with links resolved: so Codex names its files.
 */
export async function codexHome(place: HostPlace, reader: SurveyReader): Promise<string> {
  const codexHomeVariable = place.environment["CODEX_HOME"]
  const home =
    codexHomeVariable === undefined || codexHomeVariable === ""
      ? path.join(place.home, ".codex")
      : codexHomeVariable
  return (await reader.realPath(home)) ?? path.resolve(home)
}

export function systemFolder(place: HostPlace): string {
  if (place.platform !== "win32") return "/etc/codex"
  return path.win32.join(place.environment["ProgramData"] ?? "C:\\ProgramData", "OpenAI", "Codex")
}

export async function projectFolders(
  reader: SurveyReader,
  cwd: string,
  markers: readonly string[],
): Promise<readonly string[]> {
  const root = await findUp(cwd, (folder) => checkForMarker(reader, folder, markers))
  return root === undefined ? [cwd] : foldersDown(root, cwd)
}

async function checkForMarker(
  reader: SurveyReader,
  folder: string,
  markers: readonly string[],
): Promise<boolean> {
  for (const marker of markers) {
    if ((await reader.realPath(path.join(folder, marker))) !== undefined) return true
  }
  return false
}

/**
 * Like `projectFolders` for config files, where a `.git` folder counts only if it is a repository.
 */
export async function configFolders(
  reader: SurveyReader,
  cwd: string,
  markers: readonly string[],
): Promise<readonly string[]> {
  const root = await findUp(cwd, async (folder) => {
    for (const marker of markers) {
      const at = path.join(folder, marker)
      if ((await reader.realPath(at)) === undefined) continue
      if (marker !== ".git" || (await isRepository(reader, at))) return true
    }
    return false
  })
  return root === undefined ? [cwd] : foldersDown(root, cwd)
}

async function isRepository(reader: SurveyReader, dotGit: string): Promise<boolean> {
  const { kind } = await reader.peek(dotGit, SETTINGS_LIMIT_BYTES)
  return kind !== "directory" || (await reader.realPath(path.join(dotGit, "HEAD"))) !== undefined
}

/** A worktree has the trust of its main repository. */
export async function mainRepository(
  reader: SurveyReader,
  cwd: string,
): Promise<string | undefined> {
  const top = await findUp(cwd, async (folder) => {
    const dotGit = path.join(folder, ".git")
    return (await reader.realPath(dotGit)) !== undefined && (await isRepository(reader, dotGit))
  })
  if (top === undefined) return undefined
  const dotGit = await reader.peek(path.join(top, ".git"), SETTINGS_LIMIT_BYTES)
  if (dotGit.kind !== "file") return top
  const pointer = /^gitdir:\s*(\S.*)$/m.exec(dotGit.bytes.toString())?.[1]?.trimEnd()
  const worktrees = pointer === undefined ? "" : path.dirname(path.resolve(top, pointer))
  return path.basename(worktrees) === "worktrees" ? path.dirname(path.dirname(worktrees)) : top
}
