import type { WorktreeDiff } from "#ground/contract"
import { snapshotTree } from "./merge-forecast.ts"
import type { WorktreeRecord } from "./registry.ts"
import type { WorktreeGit } from "./worktree-git.ts"

/** Larger diffs are read in an editor. */
const LONGEST_DIFF_UNITS = 400_000

const MOST_COMMITS = 20

const PLAIN = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"]

type FoundDiff = Pick<WorktreeDiff, "against" | "from" | "text">

/** All changes since the commit that the worktree shares with its base. */
export async function diffOfTree(
  git: WorktreeGit,
  record: WorktreeRecord,
  base: string,
): Promise<FoundDiff> {
  const { commit } = await snapshotTree(git, record.path)
  const shared = await git.ask(["merge-base", base, commit])
  const from = shared.code === 0 ? shared.output.trim() : base
  const text = await git.tell(["diff", ...PLAIN, from, commit, "--"])
  return { from: "worktree", against: record.baseRef ?? record.baseCommit, text }
}

/** A swarm ends the messages of its commits with the ticket. */
export async function diffOfCommits(git: WorktreeGit, ticket: string): Promise<FoundDiff> {
  const named = ["--fixed-strings", `--grep=Ticket: ${ticket}`, `--max-count=${MOST_COMMITS}`]
  const args = ["log", "--format=", "--patch", "--no-merges", ...PLAIN, ...named, "HEAD", "--"]
  const { code, output } = await git.ask(args)
  const text = code === 0 && ticket !== "" ? output : ""
  return text === ""
    ? { from: "none", against: null, text }
    : { from: "commits", against: null, text }
}

/** Cut at the end of a line. */
export function cutDiff(text: string): Pick<WorktreeDiff, "isCut" | "text"> {
  if (text.length <= LONGEST_DIFF_UNITS) return { text, isCut: false }
  return { text: text.slice(0, text.lastIndexOf("\n", LONGEST_DIFF_UNITS) + 1), isCut: true }
}
