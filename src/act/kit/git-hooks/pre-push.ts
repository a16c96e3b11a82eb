import path from "node:path"
import { statFile, visibleLine } from "#ground/base"
import { fetchRemote, forecastMerge, listRemotes } from "#see/repo"
import { PushConflicts } from "./errors.ts"
import { askLine, type UserGit } from "./user-git.ts"

const MOST_NAMED_FILES = 20

/** `git push --all` of a large clone may push thousands of branches while the user waits. */
const MOST_CHECKED_BRANCHES = 50

/** The user waits for the push; a slower remote is compared as last fetched. */
const FETCH_TIMEOUT_MS = 10_000

export type PushNotes = {
  /** Shown to the user: the comparison is older than it should be. */
  readonly warning: string | undefined
  readonly note: string | undefined
}

/**
 * Throws if a pushed branch would conflict with its base, after a fetch from the push's own remote.
 * Git itself checks the pushed branch on the remote: fast-forward or forced.
 */
export async function prePush(
  git: UserGit,
  pushed: { readonly remote: string; readonly stdin: string; readonly mayFetch: boolean },
): Promise<PushNotes> {
  const { gitCommonDirectory: common } = git.repository
  if (common === undefined) return { warning: undefined, note: "outside git" }
  const shallow = await statFile(path.join(common, "shallow"))
  if (shallow.kind === "found")
    return { warning: undefined, note: "a shallow clone has no common history to compare" }
  const branches = parsePushed(pushed.stdin).slice(0, MOST_CHECKED_BRANCHES)
  const bases = await Promise.all(branches.map((it) => baseOf(git, it, pushed.remote)))
  const isNeeded = bases.some((it) => it !== undefined)
  const problem = isNeeded ? await fetchFrom(git, pushed) : undefined
  const asOf = problem === undefined ? "" : ", as last fetched,"
  const notes: string[] = []
  for (const [at, branch] of branches.entries()) {
    const note = await checkBranch(git, { branch, base: bases[at], asOf })
    if (note !== undefined) notes.push(`${shortName(branch.remoteRef)}: ${note}`)
  }
  return { warning: problem, note: notes.length === 0 ? undefined : notes.join("; ") }
}

/** Why the remote's branches may be out of date. */
async function fetchFrom(
  git: UserGit,
  { remote, mayFetch }: { readonly remote: string; readonly mayFetch: boolean },
): Promise<string | undefined> {
  if (!mayFetch) return "kit.fetch is off"
  // For a push to an address there are no branches to update.
  if (!(await listRemotes(git.repository)).has(remote)) return `${remote} is not a named remote`
  const { file, repository, environment, signal } = git
  const timeoutMs = FETCH_TIMEOUT_MS
  const options = { file, repository, environment, signal, timeoutMs, remote }
  const outcome = await fetchRemote(options)
  return outcome.kind === "failed" ? `${remote} was not fetched: ${outcome.reason}` : undefined
}

type PushedRef = {
  readonly localRef: string
  readonly commit: string
  readonly remoteRef: string
}

function parsePushed(stdin: string): readonly PushedRef[] {
  return stdin.split("\n").flatMap((line) => {
    const [localRef = "", commit = "", remoteRef = ""] = line.split(" ")
    const isMoved = /^(?!0+$)[0-9a-f]{40,64}$/.test(commit)
    return isMoved && remoteRef.startsWith(BRANCHES) ? [{ localRef, commit, remoteRef }] : []
  })
}

const BRANCHES = "refs/heads/"

async function checkBranch(
  git: UserGit,
  it: { readonly branch: PushedRef; readonly base: string | undefined; readonly asOf: string },
): Promise<string | undefined> {
  const { branch, base, asOf } = it
  const common = git.repository.gitCommonDirectory
  if (base === undefined || common === undefined) return "it has no base branch to compare with"
  const theirs = await askLine(git, "rev-parse", "--verify", "--quiet", `${base}^{commit}`)
  if (theirs === undefined) return `${base} does not exist`
  const forecast = await forecastMerge({ ours: branch.commit, theirs }, { ...git, common })
  if (forecast.kind !== "conflicts") {
    return forecast.kind === "unknown" ? forecast.why : undefined
  }
  const files = forecast.files.slice(0, MOST_NAMED_FILES).map((file) => visibleLine(file))
  const names = { branch: shortName(branch.remoteRef), base: `${shortName(base)}${asOf}` }
  throw PushConflicts({ ...names, files, count: forecast.files.length })
}

/** The upstream if it is another branch, else the remote's main branch if it is another one. */
async function baseOf(
  git: UserGit,
  { localRef, remoteRef }: PushedRef,
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
    const commit = await askLine(git, "rev-parse", "--verify", "--quiet", ref)
    if (commit !== undefined) return ref
  }
  return undefined
}

function shortName(ref: string): string {
  return visibleLine(ref.replace(/^refs\/(?:heads|remotes)\//, ""))
}
