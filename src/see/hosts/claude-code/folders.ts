import path from "node:path"
import { isInside } from "#ground/base"
import type { Disk } from "../files/disk.ts"
import { type TrustFolders, withRealFolders, withRealPlaces } from "../files/file-trust.ts"
import type { HostPlace } from "../host.ts"
import type { SurveyReader } from "../survey-reader.ts"

export type Folders = {
  readonly cwd: string
  readonly home: string
  readonly config: string
  /**
   * `.claude.json`, which moves with the config folder.
   */
  readonly stateFile: string
  readonly managed: string
  readonly walk: readonly string[]
  readonly git: GitTops
  readonly grounds: TrustFolders
  readonly commandLineSettings: string | undefined
}

export async function findFolders(place: HostPlace, reader: SurveyReader): Promise<Folders> {
  const startDirectory = path.resolve(place.workingDirectory)
  const cwd = (await reader.realPath(startDirectory)) ?? startDirectory
  const walk = foldersDownTo(cwd)
  const git = await findGit(walk, reader)
  return {
    cwd,
    home: place.home,
    config: configFolder(place),
    stateFile: stateFile(place),
    managed: managedFolder(place),
    walk,
    git,
    commandLineSettings: place.commandLineSettings,
    grounds: { own: await ownFolders(place, reader), project: projectFolders(cwd, git) },
  }
}

/** The host's state is a file beside its folder. */
async function ownFolders(place: HostPlace, reader: SurveyReader): Promise<readonly string[]> {
  const folders = await withRealFolders(reader, [configFolder(place), managedFolder(place)])
  return [...folders, ...(await withRealPlaces(reader, [stateFile(place)]))]
}

function projectFolders(cwd: string, { top, main, isMainProven }: GitTops): readonly string[] {
  const isElsewhere = main !== undefined && main !== top && isMainProven
  return [top ?? cwd, ...(isElsewhere ? [path.join(main, ".claude")] : [])]
}

export function configFolder({ environment, home }: HostPlace): string {
  const configDirectory = environment["CLAUDE_CONFIG_DIR"]
  return configDirectory === undefined || configDirectory === ""
    ? path.join(home, ".claude")
    : path.resolve(configDirectory)
}

function stateFile(place: HostPlace): string {
  const configDirectory = place.environment["CLAUDE_CONFIG_DIR"]
  return path.join(
    configDirectory === undefined || configDirectory === "" ? place.home : configDirectory,
    ".claude.json",
  )
}

function managedFolder({ platform }: HostPlace): string {
  switch (platform) {
    case "darwin":
      return "/Library/Application Support/ClaudeCode"
    case "win32":
      return "C:\\Program Files\\ClaudeCode"
    case "linux":
      return "/etc/claude-code"
  }
}

/** The root of the disk is never searched. */
function foldersDownTo(cwd: string): readonly string[] {
  const folders: string[] = []
  for (let at = cwd; at !== path.dirname(at); at = path.dirname(at)) folders.unshift(at)
  return folders
}

export async function realWorkingDirectory(place: HostPlace, disk: Disk): Promise<string> {
  const startDirectory = path.resolve(place.workingDirectory)
  return (await disk.realPath(startDirectory)) ?? startDirectory
}

type GitTops = {
  readonly top: string | undefined
  /** Equals `top` except in a linked worktree. */
  readonly main: string | undefined
  /**
   * Whether the repository also references the worktree; a pointer file alone can name any folder.
   */
  readonly isMainProven: boolean
}

/** A pointer file is one line; anything longer is invalid. */
const POINTER_LIMIT_BYTES = 16 * 1024

/** The nearest `.git` above decides, as in the host; git is not started. */
async function findGit(walk: readonly string[], reader: SurveyReader): Promise<GitTops> {
  for (const folder of walk.toReversed()) {
    const dotGit = path.join(folder, ".git")
    const file = await reader.peek(dotGit, POINTER_LIMIT_BYTES)
    if (file.kind === "directory") return { top: folder, main: folder, isMainProven: true }
    if (file.kind === "file") {
      const pointed = await mainOf(file.bytes.toString(), dotGit, reader)
      return { top: folder, main: folder, isMainProven: true, ...pointed }
    }
  }
  return { top: undefined, main: undefined, isMainProven: false }
}

/** A worktree's folder names the common folder and points back to its worktree. */
async function mainOf(
  pointer: string,
  dotGit: string,
  reader: SurveyReader,
): Promise<Pick<GitTops, "main" | "isMainProven"> | undefined> {
  const [, named] = /^gitdir: (.+)$/m.exec(pointer) ?? []
  if (named === undefined) return undefined
  const own = path.resolve(path.dirname(dotGit), named.trim())
  const back = await readLine(path.join(own, "gitdir"), reader)
  const common = await readLine(path.join(own, "commondir"), reader)
  if (back === undefined || common === undefined) return undefined
  const pointsBack = (await reader.realPath(path.resolve(own, back))) === dotGit
  const shared = path.resolve(own, common)
  if (!pointsBack || path.basename(shared) !== ".git") return undefined
  const [realOwn, realShared] = [await reader.realPath(own), await reader.realPath(shared)]
  const isKnown = realOwn !== undefined && realShared !== undefined && isInside(realShared, realOwn)
  return { main: path.dirname(shared), isMainProven: isKnown }
}

async function readLine(file: string, reader: SurveyReader): Promise<string | undefined> {
  const read = await reader.peek(file, POINTER_LIMIT_BYTES)
  return read.kind === "file" ? read.bytes.toString().trim() : undefined
}
