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

/** How far up a repository is looked for; the hostile corpus nests 2,000 folders. */
const DEEPEST_ANCESTOR_LEVELS = 256

/** The folder people edit by hand and commit: config, memory, board. One constant for the house. */
export const PROJECT_FOLDER = ".qm"

export type Repository = {
  readonly root: string
  readonly gitDirectory: string | undefined
  readonly gitCommonDirectory: string | undefined
  /** `<git common dir>/qm`, or `<root>/.qm/local` without git. */
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
 * A bare repository in this very directory; undefined when it is none. Only for a directory that a
 * person named for its history: one that is found on the way may have come with a download, and is
 * passed over. Nothing is written into it, so the caller says where its state lies.
 */
export async function bareRepository(
  directory: string,
  options: { readonly stateDirectory: string },
): Promise<Repository | undefined> {
  const root = await realPath(directory)
  // One with a working tree around it is no bare one; what lies in that tree is not to be trusted.
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

/** A pointer that is not followed ends the search: what lies above belongs to somebody else. */
async function findGit(candidate: string): Promise<GitFolders | "refused" | undefined> {
  const dotGit = path.join(candidate, ".git")
  const what = await typeOf(dotGit)
  if (what === "regular file") return (await followGitFile(dotGit)) ?? "refused"
  const isRepository = what === "directory" && (await isGitDirectory(dotGit))
  return isRepository ? { directory: dotGit, common: dotGit } : undefined
}

/**
 * A `.git` file points elsewhere: to a worktree's folder, or to a submodule's. A hostile archive
 * can carry one that points at somebody's real repository, and we would write there; so the place
 * it names must itself point back, as git makes it do.
 */
async function followGitFile(dotGit: string): Promise<GitFolders | undefined> {
  const pointer = await readLine(dotGit)
  if (pointer === undefined || !pointer.startsWith("gitdir: ")) return undefined
  const directory = path.resolve(path.dirname(dotGit), pointer.slice("gitdir: ".length))

  const back = await readLine(path.join(directory, "gitdir"))
  if (back === undefined) {
    return (await isOwnSubmodule(dotGit, directory)) ? { directory, common: directory } : undefined
  }
  const given = await readLine(path.join(directory, "commondir"))
  const common = given === undefined ? undefined : path.resolve(directory, given)
  const pointsBack = path.resolve(directory, back) === dotGit
  const isWorktree = pointsBack && common !== undefined && (await isGitDirectory(common))
  return isWorktree ? { directory, common } : undefined
}

/** A submodule's folder lies in `.git/modules/` of a repository that holds the submodule. */
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
  const found = await statFile(file)
  return found.kind === "found" ? found.what : "missing"
}

async function readLine(file: string): Promise<string | undefined> {
  const outcome = await readTextBounded(file, { maxBytes: GIT_POINTER_LIMIT_BYTES })
  return outcome.kind === "read" ? outcome.text.trimEnd() : undefined
}

export async function directoryProblem(directory: string): Promise<string | undefined> {
  const real = await withoutLinks(directory)
  if (real.kind === "problem") return real.problem
  // The first entry is enough to know that it can be listed.
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
      return sayReason(listed.reason)
    default:
      return listed satisfies never
  }
}

const NOTHING_THERE = "there is nothing"

type Real = { readonly kind: "at"; readonly path: string } | { kind: "problem"; problem: string }

async function withoutLinks(directory: string): Promise<Real> {
  try {
    return { kind: "at", path: await realPath(path.resolve(directory)) }
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return { kind: "problem", problem: sayReason(error.data.reason) }
  }
}

function sayReason(reason: string): string {
  if (reason === "ENOENT") return NOTHING_THERE
  if (reason === "ENOTDIR") return "a part of the path is no directory"
  if (reason === "EACCES" || reason === "EPERM") return "you may not read it"
  return reason === "ELOOP" ? "its links lead in a circle" : `the system says ${reason}`
}

/**
 * The folders whose content came with a project: the directory, those above it up to the top of
 * the working tree, and the top of the main one for a worktree. Without links; empty when the
 * directory is not there.
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

/** Whether a directory is of this repository: in its working tree or, outside git, below its folder. */
export async function belongsToRepository(
  directory: string,
  repository: Repository,
): Promise<boolean> {
  const folders = await projectFolders(directory)
  if (folders.includes(repository.root)) return true
  const [start] = folders
  if (start === undefined || repository.gitCommonDirectory !== undefined) return false
  // One with a git of its own is another repository, wherever it lies.
  const { gitCommonDirectory } = await locateRepository(start)
  return gitCommonDirectory === undefined && start.startsWith(`${repository.root}${path.sep}`)
}
