import path from "node:path"
import { findUp, foldersDown, foldersUp } from "../ancestors.ts"
import { type Grounds, withRealFolders } from "../belongs.ts"
import type { Place } from "../host.ts"
import type { Look } from "../look.ts"

export type Folders = {
  readonly home: string
  /** `~/.copilot`, or where COPILOT_HOME says. */
  readonly config: string
  readonly cwd: string
  /** The top of the repository; outside git the working directory. */
  readonly root: string
  /** From the top down to the working directory. */
  readonly walk: readonly string[]
  /** Above the working directory, the nearest first: where skills and agents are found too. */
  readonly above: readonly string[]
  readonly grounds: Grounds
}

/** Variables with which a person adds folders. */
export const RULES_VARIABLE = "COPILOT_CUSTOM_INSTRUCTIONS_DIRS"
export const SKILLS_VARIABLE = "COPILOT_SKILLS_DIRS"

export async function findFolders(place: Place, look: Look): Promise<Folders> {
  const given = path.resolve(place.workingDirectory)
  const cwd = (await look.realPath(given)) ?? given
  const git = await findUp(cwd, (folder) => isRepository(look, folder))
  const root = git ?? cwd
  const walk = foldersDown(root, cwd)
  const up = git === undefined ? foldersUp(cwd) : walk.toReversed()
  const config = configFolder(place)
  const named = [...namedFolders(place, RULES_VARIABLE), ...namedFolders(place, SKILLS_VARIABLE)]
  const grounds = {
    own: await withRealFolders(look, [config, path.join(place.home, ".agents")]),
    project: [root, ...(await withRealFolders(look, named))],
  }
  return { home: place.home, config, cwd, root, walk, above: up.slice(1), grounds }
}

export function configFolder({ environment, home }: Place): string {
  const given = environment["COPILOT_HOME"]
  return given === undefined || given === "" ? path.join(home, ".copilot") : path.resolve(given)
}

/** Folders that a variable names, separated by commas. */
export function namedFolders(place: Place, variable: string): readonly string[] {
  const given = (place.environment[variable] ?? "").split(",").map((it) => it.trim())
  return given.filter((it) => it !== "").map((it) => path.resolve(place.workingDirectory, it))
}

/** A `.git` file is believed; a folder must look like a repository. */
async function isRepository(look: Look, folder: string): Promise<boolean> {
  const dotGit = path.join(folder, ".git")
  const { kind } = await look.peek(dotGit, 1)
  if (kind !== "directory") return kind === "file" || kind === "too-large"
  const parts = ["HEAD", "objects", "refs"].map((it) => look.realPath(path.join(dotGit, it)))
  return (await Promise.all(parts)).every((it) => it !== undefined)
}
