import path from "node:path"
import { type FileType, readTextBounded, realPath, statFile } from "#ground/base"
import { DEEPEST_ANCESTOR_LEVELS, GIT_POINTER_LIMIT_BYTES } from "./limits.ts"

/** The folder people edit by hand and commit: config, memory, board. One constant for the house. */
export const PROJECT_FOLDER = ".qm"

/** Where a piece of work lies, and where its state is kept. */
export type Repository = {
  /** The top of the working tree, or the directory itself outside git. */
  readonly root: string
  /** Shared by all worktrees; absent outside git. */
  readonly gitCommonDirectory: string | undefined
  /** `<git common dir>/qm`, or `<root>/.qm/local` without git. */
  readonly stateDirectory: string
}

/** Find the repository around a directory. Reads files only: no git is started. */
export async function locateRepository(directory: string): Promise<Repository> {
  const start = await realPath(directory)
  for (const candidate of ancestorsOf(start)) {
    const common = await gitCommonDirectoryOf(candidate)
    if (common !== undefined) {
      return {
        root: candidate,
        gitCommonDirectory: common,
        stateDirectory: path.join(common, "qm"),
      }
    }
  }
  return {
    root: start,
    gitCommonDirectory: undefined,
    stateDirectory: path.join(start, PROJECT_FOLDER, "local"),
  }
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

async function gitCommonDirectoryOf(candidate: string): Promise<string | undefined> {
  const dotGit = path.join(candidate, ".git")
  const what = await typeOf(dotGit)
  if (what === "directory") return (await isGitDirectory(dotGit)) ? dotGit : undefined
  return what === "regular file" ? followGitFile(dotGit) : undefined
}

/**
 * A `.git` file points elsewhere: to a worktree's folder, or to a submodule's. A hostile archive
 * can carry one that points at somebody's real repository, and we would write there; so the place
 * it names must itself point back, as git makes it do.
 */
async function followGitFile(dotGit: string): Promise<string | undefined> {
  const pointer = await readLine(dotGit)
  if (pointer === undefined || !pointer.startsWith("gitdir: ")) return undefined
  const gitDirectory = path.resolve(path.dirname(dotGit), pointer.slice("gitdir: ".length))

  const back = await readLine(path.join(gitDirectory, "gitdir"))
  if (back !== undefined) {
    const pointsBack = path.resolve(gitDirectory, back) === dotGit
    const common = await readLine(path.join(gitDirectory, "commondir"))
    const commonDirectory = common === undefined ? undefined : path.resolve(gitDirectory, common)
    const isWorktree =
      pointsBack && commonDirectory !== undefined && (await isGitDirectory(commonDirectory))
    return isWorktree ? commonDirectory : undefined
  }
  return (await isOwnSubmodule(dotGit, gitDirectory)) ? gitDirectory : undefined
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
