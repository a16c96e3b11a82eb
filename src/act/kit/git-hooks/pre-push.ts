import path from "node:path"
import { statFile, visibleLine } from "#ground/base"
import { PushConflicts } from "./errors.ts"
import { forecastMerge } from "./forecast.ts"
import { MOST_CHECKED_BRANCHES, MOST_NAMED_FILES } from "./limits.ts"
import { askLine, type UserGit } from "./user-git.ts"

/**
 * Throws when a branch that is pushed would conflict with what it is to be merged into, as last
 * fetched. What it replaces on the remote is git's own matter: that is a fast-forward or was forced.
 */
export async function prePush(
  git: UserGit,
  pushed: { readonly remote: string; readonly stdin: string },
): Promise<string | undefined> {
  const { gitCommonDirectory: common } = git.repository
  if (common === undefined) return "outside git"
  // Where history is cut off, the commit that two branches have in common may be beyond the cut.
  const shallow = await statFile(path.join(common, "shallow"))
  if (shallow.kind === "found") return "a shallow clone does not know where branches parted"
  const notes: string[] = []
  for (const branch of parsePushed(pushed.stdin).slice(0, MOST_CHECKED_BRANCHES)) {
    const note = await checkBranch(git, branch, pushed.remote)
    if (note !== undefined) notes.push(`${shortName(branch.remoteRef)}: ${note}`)
  }
  return notes.length === 0 ? undefined : notes.join("; ")
}

type Pushed = {
  readonly localRef: string
  readonly commit: string
  readonly remoteRef: string
}

/** Branches that are made or moved: neither tags nor deletions. */
function parsePushed(stdin: string): readonly Pushed[] {
  return stdin.split("\n").flatMap((line) => {
    const [localRef = "", commit = "", remoteRef = ""] = line.split(" ")
    const isMoved = /^(?!0+$)[0-9a-f]{40,64}$/.test(commit)
    return isMoved && remoteRef.startsWith(BRANCHES) ? [{ localRef, commit, remoteRef }] : []
  })
}

const BRANCHES = "refs/heads/"

async function checkBranch(
  git: UserGit,
  pushed: Pushed,
  remote: string,
): Promise<string | undefined> {
  const base = await baseOf(git, pushed, remote)
  if (base === undefined) return "nothing to compare it with"
  const theirs = await askLine(git, "rev-parse", "--verify", "--quiet", `${base}^{commit}`)
  if (theirs === undefined) return `${base} is not there`
  const forecast = await forecastMerge(git, { ours: pushed.commit, theirs })
  if (forecast.kind !== "conflicts") {
    return forecast.kind === "unknown" ? forecast.why : undefined
  }
  const files = forecast.files.slice(0, MOST_NAMED_FILES).map((it) => visibleLine(it))
  const names = { branch: shortName(pushed.remoteRef), base: shortName(base) }
  throw PushConflicts({ ...names, files, count: forecast.files.length })
}

/** The branch it follows, if that is another one; else the remote's main one, if it is another. */
async function baseOf(
  git: UserGit,
  { localRef, remoteRef }: Pushed,
  remote: string,
): Promise<string | undefined> {
  const upstream = await upstreamOf(git, localRef)
  const isItself = upstream?.remote === remote && upstream.remoteRef === remoteRef
  if (upstream !== undefined && !isItself) return upstream.ref
  const main = await mainBranch(git, remote)
  return main === `refs/remotes/${remote}/${shortName(remoteRef)}` ? undefined : main
}

async function upstreamOf(git: UserGit, localRef: string) {
  if (!localRef.startsWith(BRANCHES)) return undefined
  const format = "--format=%(upstream)%00%(upstream:remotename)%00%(upstream:remoteref)"
  const line = await askLine(git, "for-each-ref", "--count=1", format, localRef)
  const [ref = "", remote = "", remoteRef = ""] = line?.split("\0") ?? []
  return ref === "" ? undefined : { ref, remote, remoteRef }
}

async function mainBranch(git: UserGit, remote: string): Promise<string | undefined> {
  const tracked = `refs/remotes/${remote}`
  const head = await askLine(git, "symbolic-ref", "--quiet", `${tracked}/HEAD`)
  if (head !== undefined) return head
  for (const ref of [`${tracked}/main`, `${tracked}/master`]) {
    const found = await askLine(git, "rev-parse", "--verify", "--quiet", ref)
    if (found !== undefined) return ref
  }
  return undefined
}

function shortName(ref: string): string {
  return visibleLine(ref.replace(/^refs\/(?:heads|remotes)\//, ""))
}
