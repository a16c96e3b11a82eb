import path from "node:path"
import {
  FileNotReadable,
  type FileType,
  listDirectory,
  readTextBounded,
  realPath,
  statFile,
} from "#ground/base"
import { GIT_POINTER_LIMIT_BYTES } from "./limits.ts"

const DEEPEST_ANCESTOR_LEVELS = 256

/** The folder that users edit and commit: config, memory, board. */
export const PROJECT_FOLDER = ".qm"

export type Repository = {
  readonly root: string
  readonly gitDirectory: string | undefined
  readonly gitCommonDirectory: string | undefined
  readonly stateDirectory: string
}

export async function locateRepository(directory: string): Promise<Repository> {
  const start = await realPath(directory)
  for (const candidate of ancestorsOf(start)) {
    const git = await findGit(candidate)
    if (git === "refused") break
    if (git !== undefined) {
      return {
        root: candidate,
        gitDirectory: git.directory,
        gitCommonDirectory: git.common,
        stateDirectory: path.join(git.common, "qm"),
      }
    }
  }
  return {
    root: start,
    gitDirectory: undefined,
    gitCommonDirectory: undefined,
    stateDirectory: path.join(start, PROJECT_FOLDER, "local"),
  }
}

/**
 * A bare repository in this exact directory. Only for a directory that the user named: one found on
 * the way may come from a download and is skipped. Nothing is written into it, so the caller
 * provides the state directory.
 */
export async function bareRepository(
  directory: string,
  options: { readonly stateDirectory: string },
): Promise<Repository | undefined> {
  const root = await realPath(directory)
  // A `.git` folder with a working tree around it is not bare; that tree is untrusted.
  if (path.basename(root) === ".git" || !(await isGitDirectory(root))) return undefined
  const { stateDirectory } = options
  return { root, gitDirectory: root, gitCommonDirectory: root, stateDirectory }
}

export async function currentBranch({ gitDirectory }: Repository): Promise<string | undefined> {
  if (gitDirectory === undefined) return undefined
  const head = await readLine(path.join(gitDirectory, "HEAD"))
  return /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1]
}

function ancestorsOf(start: string): string[] {
  const ancestors = [start]
  for (let at = start; ancestors.length < DEEPEST_ANCESTOR_LEVELS; ) {
    const parent = path.dirname(at)
    if (parent === at) break
    ancestors.push(parent)
    at = parent
  }
  return ancestors
}

type GitFolders = { readonly directory: string; readonly common: string }

/** A refused pointer ends the search: folders above belong to another repository. */
async function findGit(candidate: string): Promise<GitFolders | "refused" | undefined> {
  const dotGit = path.join(candidate, ".git")
  const what = await typeOf(dotGit)
  if (what === "regular file") return (await followGitFile(dotGit)) ?? "refused"
  const isRepository = what === "directory" && (await isGitDirectory(dotGit))
  return isRepository ? { directory: dotGit, common: dotGit } : undefined
}

/**
 * A `.git` file points to the folder of a worktree or submodule. A hostile archive can contain one
 * that points to the user's real repository, and we would write there; so its target must point
 * back, as git ensures.
 */
async function followGitFile(dotGit: string): Promise<GitFolders | undefined> {
  const pointer = await readLine(dotGit)
  if (pointer === undefined || !pointer.startsWith("gitdir: ")) return undefined
  const directory = path.resolve(path.dirname(dotGit), pointer.slice("gitdir: ".length))

  const back = await readLine(path.join(directory, "gitdir"))
  if (back === undefined) {
    return (await isOwnSubmodule(dotGit, directory)) ? { directory, common: directory } : undefined
  }
  const commonDirectory = await readLine(path.join(directory, "commondir"))
  const common =
    commonDirectory === undefined ? undefined : path.resolve(directory, commonDirectory)
  const pointsBack = path.resolve(directory, back) === dotGit
  const isWorktree = pointsBack && common !== undefined && (await isGitDirectory(common))
  return isWorktree ? { directory, common } : undefined
}

/** A submodule's folder is in `.git/modules/` of a repository that contains the submodule. */
async function isOwnSubmodule(dotGit: string, gitDirectory: string): Promise<boolean> {
  const modules = `${path.sep}.git${path.sep}modules${path.sep}`
  const split = gitDirectory.indexOf(modules)
  if (split === -1) return false
  const superproject = gitDirectory.slice(0, split)
  const isInside = dotGit.startsWith(superproject + path.sep)
  return isInside && (await isGitDirectory(gitDirectory))
}

async function isGitDirectory(directory: string): Promise<boolean> {
  const hasHead = (await typeOf(path.join(directory, "HEAD"))) === "regular file"
  return hasHead && (await typeOf(path.join(directory, "objects"))) === "directory"
}

async function typeOf(file: string): Promise<FileType | "missing"> {
  const stat = await statFile(file)
  return stat.kind === "found" ? stat.what : "missing"
}

async function readLine(file: string): Promise<string | undefined> {
  const outcome = await readTextBounded(file, { maxBytes: GIT_POINTER_LIMIT_BYTES })
  return outcome.kind === "read" ? outcome.text.trimEnd() : undefined
}

export async function directoryProblem(directory: string): Promise<string | undefined> {
  const real = await withoutLinks(directory)
  if (real.kind === "problem") return real.problem
  // One entry shows that the folder can be listed.
  const listed = await listDirectory(real.path, { maxEntries: 0 })
  switch (listed.kind) {
    case "listed":
    case "too-many":
      return undefined
    case "missing":
      return NOTHING_THERE
    case "not-directory":
      return `it is a ${listed.what}, not a directory`
    case "unreadable":
      return describeReason(listed.reason)
    default:
      return listed satisfies never
  }
}

const NOTHING_THERE = "it does not exist"

type RealPathResult =
  | { readonly kind: "at"; readonly path: string }
  | { kind: "problem"; problem: string }

async function withoutLinks(directory: string): Promise<RealPathResult> {
  try {
    return { kind: "at", path: await realPath(path.resolve(directory)) }
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return { kind: "problem", problem: describeReason(error.data.reason) }
  }
}

function describeReason(reason: string): string {
  if (reason === "ENOENT") return NOTHING_THERE
  if (reason === "ENOTDIR") return "a part of the path is not a directory"
  if (reason === "EACCES" || reason === "EPERM") return "you do not have permission to read it"
  return reason === "ELOOP" ? "its links are circular" : `the system reports ${reason}`
}

/**
 * Folders whose content came with a project: the directory, its parents up to the root, and the
 * main root for a worktree. Links are resolved; empty if the directory is missing.
 */
export async function projectFolders(directory: string): Promise<readonly string[]> {
  try {
    const start = await realPath(path.resolve(directory))
    const { root, gitCommonDirectory } = await locateRepository(start)
    const folders = [start]
    for (let at = start; at !== root && at !== path.dirname(at); ) {
      at = path.dirname(at)
      folders.push(at)
    }
    const main = gitCommonDirectory === undefined ? root : path.dirname(gitCommonDirectory)
    return [...new Set([...folders, main])]
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return []
  }
}

export async function belongsToRepository(
  directory: string,
  repository: Repository,
): Promise<boolean> {
  const folders = await projectFolders(directory)
  if (folders.includes(repository.root)) return true
  const [start] = folders
  if (start === undefined || repository.gitCommonDirectory !== undefined) return false
  // A directory with its own git is another repository.
  const { gitCommonDirectory } = await locateRepository(start)
  return gitCommonDirectory === undefined && start.startsWith(`${repository.root}${path.sep}`)
}
