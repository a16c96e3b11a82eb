import path from "node:path"
import { FileNotReadable, realPath } from "#ground/base"
import { locateRepository, type Repository } from "./repo.ts"

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
