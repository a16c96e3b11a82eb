import path from "node:path"
import {
  compareText,
  makeTemporaryDirectory,
  readBounded,
  setModifiedTime,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { WorktreeGitFailed } from "./errors.ts"
import { FORECAST_AUTHOR, type WorktreeGit } from "./worktree-git.ts"

const LARGEST_INDEX_BYTES = 256 * 1024 ** 2

export type TreeSnapshot = { readonly commit: string; readonly tree: string }

/**
 * A commit of all files of a worktree, uncommitted ones included, on no branch. The worktree's own
 * index is copied and not changed. Ignored files are included only if they are named.
 */
export async function snapshotTree(
  git: WorktreeGit,
  cwd: string,
  ignored: readonly string[] = [],
): Promise<TreeSnapshot> {
  await using folder = await makeTemporaryDirectory()
  const index = path.join(folder.path, "index")
  const own = path.resolve(cwd, await git.tell(["rev-parse", "--git-path", "index"], { cwd }))
  await copyIndex(own, index)
  const options = { cwd, env: { GIT_INDEX_FILE: index, ...FORECAST_AUTHOR } }
  const add = ["-c", "advice.addEmbeddedRepo=false", "--literal-pathspecs", "add"]
  await git.tell([...add, "-A", "--", "."], options)
  if (ignored.length > 0) await git.tell([...add, "--force", "--", ...ignored], options)
  const tree = await git.tell(["write-tree"], options)
  const commit = await git.tell(
    ["commit-tree", tree, "-p", "HEAD", "-m", "Snapshot of a worktree"],
    options,
  )
  return { commit, tree }
}

/**
 * With its time: git compares the content of a file that changed in the second in which the index
 * was written, and would miss it if the copy were younger.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const stat = await statFile(from)
  const copied = await readBounded(from, { maxBytes: LARGEST_INDEX_BYTES })
  if (stat.kind !== "found" || copied.kind !== "read") return
  await writeFileAtomic(to, copied.bytes)
  await setModifiedTime(to, Math.floor(stat.stat.modifiedAtMs / 1000) * 1000)
}

/** Undefined if the folder is gone, also if it is removed while it is read. */
export async function snapshotIfThere(git: WorktreeGit, at: string): Promise<string | undefined> {
  const isThere = async () => (await statFile(path.join(at, ".git"))).kind === "found"
  if (!(await isThere())) return undefined
  try {
    return (await snapshotTree(git, at)).commit
  } catch (error) {
    if (await isThere()) throw error
    return undefined
  }
}

/** Files that would conflict if two commits were merged; nothing is checked out. */
export async function forecastConflicts(
  git: WorktreeGit,
  one: string,
  other: string,
): Promise<readonly string[]> {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", one, other]
  const { code, output, error } = await git.ask(args)
  if (code === 0) return []
  if (code !== 1) throw WorktreeGitFailed({ command: "merge-tree", reason: error })
  const [, ...files] = output.split("\0").filter((it) => it !== "")
  return [...new Set(files)].toSorted(compareText)
}

/** Files that differ between the commit that two branches share and one of them. */
export async function changedFiles(
  git: WorktreeGit,
  base: string,
  commit: string,
): Promise<readonly string[]> {
  const { code, output } = await git.ask(["merge-base", base, commit])
  const from = code === 0 ? output.trim() : base
  const names = await git.tell(["diff", "--name-only", "--no-renames", "-z", from, commit, "--"])
  return names.split("\0").filter((it) => it !== "")
}
