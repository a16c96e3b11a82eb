import { WorktreeGitFailed } from "./errors.ts"
import { forecastConflicts } from "./merge-forecast.ts"
import type { WorktreeRecord } from "./registry.ts"
import type { WorktreeGit } from "./worktree-git.ts"

export type MergeOutcome =
  | { readonly kind: "merged"; readonly commit: string }
  | { readonly kind: "conflict"; readonly files: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string }

/** Brings the base into the worktree's branch, so that it can be tested as it will be merged. */
export async function mergeBase(git: WorktreeGit, record: WorktreeRecord): Promise<MergeOutcome> {
  const { baseRef, path: cwd } = record
  const head = await git.commitOf("HEAD", { cwd })
  const base = baseRef === null ? undefined : await git.commitOf(`refs/heads/${baseRef}`)
  if (head === undefined || base === undefined)
    return { kind: "refused", reason: "its base branch is gone" }
  if (await git.isAncestor(base, head)) return { kind: "merged", commit: head }
  const files = await forecastConflicts(git, base, head)
  if (files.length > 0) return { kind: "conflict", files }
  const message = `Merge ${baseRef} into ${record.branch}`
  const merged = await git.ask(["merge", "--no-edit", "--no-ff", "-m", message, base], { cwd })
  if (merged.code === 0) {
    const commit = await git.commitOf("HEAD", { cwd })
    if (commit !== undefined) return { kind: "merged", commit }
  }
  await git.ask(["merge", "--abort"], { cwd })
  return { kind: "refused", reason: merged.error || "git could not merge" }
}

/**
 * Moves the base branch forward to the worktree's branch. In a folder where the base is checked
 * out, git refuses to overwrite uncommitted changes.
 */
export async function mergeIntoBase(
  git: WorktreeGit,
  record: WorktreeRecord,
): Promise<MergeOutcome> {
  const { baseRef, branch } = record
  const commit = await git.commitOf(`refs/heads/${branch}`)
  const base = baseRef === null ? undefined : await git.commitOf(`refs/heads/${baseRef}`)
  if (commit === undefined || base === undefined)
    return { kind: "refused", reason: "its branch or its base branch is gone" }
  if (await git.isAncestor(commit, base)) return { kind: "merged", commit: base }
  if (!(await git.isAncestor(base, commit)))
    return { kind: "refused", reason: `${baseRef} has commits that the branch lacks` }
  const where = await folderWith(git, baseRef ?? "")
  if (where === undefined) {
    await git.tell(["update-ref", `refs/heads/${baseRef}`, commit, base])
    return { kind: "merged", commit }
  }
  const merged = await git.ask(["merge", "--ff-only", commit], { cwd: where })
  if (merged.code !== 0) return { kind: "refused", reason: merged.error }
  return { kind: "merged", commit }
}

/** The worktree in which a branch is checked out. */
async function folderWith(git: WorktreeGit, branch: string): Promise<string | undefined> {
  const listed = await git.tell(["worktree", "list", "--porcelain"])
  const block = listed
    .split("\n\n")
    .find((it) => it.split("\n").includes(`branch refs/heads/${branch}`))
  if (block === undefined) return undefined
  const at = /^worktree (.+)$/m.exec(block)?.[1]
  if (at === undefined) throw WorktreeGitFailed({ command: "worktree list", reason: "no path" })
  return at
}
