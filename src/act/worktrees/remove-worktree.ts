import path from "node:path"
import { createMatcher, listDirectory, plural, statFile } from "#ground/base"
import { NestedRepository, WorkUnmerged } from "./errors.ts"
import { snapshotTree } from "./merge-forecast.ts"
import { checkUnchangedCopy } from "./prepare-worktree.ts"
import type { WorktreeRecord } from "./registry.ts"
import type { WorktreeGit } from "./worktree-git.ts"

/** Deeper folders of ignored files are not searched for repositories. */
const DEEPEST_LEVELS = 8
const MOST_SEARCHED_FOLDERS = 20_000

const MOST_NAMED_FILES = 5

export type FoundWork = {
  readonly uncommitted: readonly string[]
  /** Ignored files that exist only here: neither copies nor disposable. */
  readonly ignored: readonly string[]
  readonly commits: number
}

/** All work in a worktree that its removal would delete, or leave on an unmerged branch. */
export async function findWork(
  git: WorktreeGit,
  record: WorktreeRecord,
  disposable: readonly string[],
): Promise<FoundWork> {
  const { path: cwd, copied } = record
  const args = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]
  const lines = (await git.tell([...args, "--ignored=matching"], { cwd })).split("\0")
  const isDisposable = createMatcher(disposable)
  const ignored: string[] = []
  for (const it of lines) {
    const file = it.slice(3).replace(/\/$/, "")
    if (!it.startsWith("!! ") || isDisposable(file)) continue
    if (!(await checkUnchangedCopy(cwd, file, copied))) ignored.push(file)
  }
  const changed = lines.filter((it) => it !== "" && !it.startsWith("!! "))
  const uncommitted = changed.map((it) => it.slice(3))
  await refuseNested(record, [...ignored, ...uncommitted])
  return { uncommitted, ignored, commits: await countUnmerged(git, record) }
}

/** Reads the branch of the base again, because the base may have moved. */
async function countUnmerged(git: WorktreeGit, record: WorktreeRecord): Promise<number> {
  const { baseRef, baseCommit, path: cwd } = record
  const current = baseRef === null ? undefined : await git.commitOf(`refs/heads/${baseRef}`)
  const head = await git.commitOf("HEAD", { cwd })
  if (head === undefined) return 0
  const args = ["rev-list", "--count", head, `^${current ?? baseCommit}`, "--"]
  return Number(await git.tell(args))
}

async function refuseNested(record: WorktreeRecord, files: readonly string[]): Promise<void> {
  const pending = files.map((file) => ({ file: file.replace(/\/$/, ""), level: 0 }))
  for (let at = 0; at < Math.min(pending.length, MOST_SEARCHED_FOLDERS); at++) {
    const { file = "", level = 0 } = pending[at] ?? {}
    const folder = path.join(record.path, file)
    const stat = await statFile(folder)
    if (stat.kind !== "found" || stat.what !== "directory" || level > DEEPEST_LEVELS) continue
    if ((await statFile(path.join(folder, ".git"))).kind === "found")
      throw NestedRepository({ name: record.name, path: file })
    const listed = await listDirectory(folder)
    const entries = listed.kind === "listed" ? listed.entries : []
    for (const it of entries)
      if (it.what === "directory") pending.push({ file: `${file}/${it.name}`, level: level + 1 })
  }
}

export function refuseUnmerged(
  { name }: WorktreeRecord,
  work: FoundWork,
  allowed: { readonly keepBranch: boolean; readonly force: boolean },
): void {
  const problems = [
    ...(work.uncommitted.length === 0 || allowed.force
      ? []
      : [`${plural(work.uncommitted.length, "uncommitted file")} (${named(work.uncommitted)})`]),
    ...(work.commits === 0 || allowed.keepBranch || allowed.force
      ? []
      : [`${plural(work.commits, "commit")} not in its base`]),
    ...(work.ignored.length === 0 || allowed.force
      ? []
      : [`ignored files that exist only there (${named(work.ignored)})`]),
  ]
  if (problems.length > 0) throw WorkUnmerged({ name, work: problems })
}

function named(files: readonly string[]): string {
  const rest = files.length - MOST_NAMED_FILES
  const listed = files.slice(0, MOST_NAMED_FILES).join(", ")
  return rest > 0 ? `${listed} and ${rest} more` : listed
}

/** Stores uncommitted and ignored files under a ref, so that a forced removal loses nothing. */
export async function storeRescue(
  git: WorktreeGit,
  { name, path: cwd }: WorktreeRecord,
  { work, at }: { readonly work: FoundWork; readonly at: number },
): Promise<string | null> {
  if (work.uncommitted.length === 0 && work.ignored.length === 0) return null
  const { commit } = await snapshotTree(git, cwd, work.ignored)
  const ref = `refs/qm/rescue/${name}-${at}`
  await git.tell(["update-ref", ref, commit])
  return ref
}
