import { compareText, isAppError, plural } from "#ground/base"
import type {
  OtherWork,
  ParsedInput,
  PullRequest,
  SyncCheck,
  SyncPreflight,
  SyncPrepr,
} from "#ground/contract"
import { treeName } from "#know/ledger"
import {
  type Commit,
  currentBranch,
  fetchRemote,
  findGitProgram,
  forecastMerge,
  type Git,
  listRefs,
  openGit,
  type Repository,
  readStatus,
  refCommit,
  upstreamOf,
} from "#see/repo"
import { BaseUnknown, SyncNoGit } from "./errors.ts"
import { findRemote, mainBranchOf } from "./remote.ts"
import type { Call, OpenedProvider, ReviewDeps } from "./review.ts"

const FETCH_TIMEOUT_MS = 20_000

/** Branches of colleagues; each costs one call of git. */
const MOST_BRANCHES = 40
const MOST_COMMITS = 500

/** Each costs up to two calls of the user's program. */
const MOST_COMPLETED_PULLS = 10

/** Above this a reviewer reads file names, not changes. */
const LARGE_DIFF_FILES = 400

/** Share of the files of a smaller pull request that are also in this one. */
const DUPLICATE_SHARE = 0.8

const LIVE_SESSION_MS = 30 * 60_000
const DAY_MS = 24 * 60 * 60_000

type SyncDeps = ReviewDeps & {
  readonly call: Call
  open(): Promise<OpenedProvider>
}

type Compared = {
  readonly git: Git
  readonly file: string
  readonly branch: string | undefined
  readonly remote: string | undefined
  readonly head: string
  /** Short name of the base on the remote, and its commit. */
  readonly base: { readonly name: string; readonly commit: string } | undefined
  readonly apart: { readonly ahead: number; readonly behind: number } | undefined
  readonly upstream: string | null
  /** Commits of the branch that the base lacks. */
  readonly commits: readonly Commit[]
  readonly uncommitted: readonly string[] | undefined
  readonly checks: SyncCheck[]
}

export async function preflight(
  input: ParsedInput<"sync.preflight">,
  deps: SyncDeps,
): Promise<SyncPreflight> {
  const state = await compare(input, deps)
  const { checks } = state
  const files = unique([...(state.uncommitted ?? []), ...changedBy(state.commits), ...input.paths])
  checks.push(sizeCheck(state))
  const others = [
    ...(await branchesOn(new Set(files), { ...state, days: input.days, ...deps })),
    ...(await sessionsOn(files, deps)),
  ]
  checks.push(othersCheck(files, others, state))
  const { pulls, check } = await openPulls(state, deps)
  checks.push(check)
  return { ...summaryOf(state), files, others, pulls }
}

export async function prepr(input: ParsedInput<"sync.prepr">, deps: SyncDeps): Promise<SyncPrepr> {
  const state = await compare(input, deps)
  const { checks } = state
  checks.push(branchCheck(state), uncommittedCheck(state), await pushedCheck(state, deps))
  checks.push(sizeCheck(state))
  const { conflicts, check } = await forecast(state, deps)
  checks.push(check, await duplicateCheck(state, deps))
  return { ...summaryOf(state), conflicts }
}

function summaryOf({ branch, upstream, base, apart, checks }: Compared) {
  return {
    branch: branch ?? null,
    upstream,
    base: base?.name ?? null,
    ahead: apart?.ahead ?? null,
    behind: apart?.behind ?? null,
    checks,
    skipped: checks.filter((it) => it.state === "skipped").length,
    isReady: checks.every((it) => it.state !== "failed"),
  }
}

/** Fetch, upstream and base: what both commands need. */
async function compare(
  input: { readonly base?: string | undefined; readonly fetch: boolean },
  deps: SyncDeps,
): Promise<Compared> {
  const { repository } = deps
  const { signal } = deps.call
  const environment = deps.environment()
  const opened = await openGit({ repository, environment, signal })
  if (opened.kind === "without") throw SyncNoGit({ reason: opened.reason })
  const { git } = opened
  const file = (await findGitProgram({ environment, outside: repository.root })) ?? ""
  const remote = (await findRemote(repository))?.name
  const checks: SyncCheck[] = [await fetchCheck(input.fetch, { remote, file, ...deps })]

  const head = (await git.headCommit()) ?? ""
  const branch = await currentBranch(repository)
  const base = remote === undefined ? undefined : await baseOf(repository, remote, input.base)
  const apart = base === undefined ? undefined : await git.countApart(head, base.commit)
  const status = await readStatus({ repository, git, signal })
  checks.push(upstreamCheck(status.upstream, status.apart), baseCheck(base?.name, apart))
  const range = { from: head, limit: MOST_COMMITS, ...(base && { since: base.commit }) }
  return {
    git,
    file,
    branch,
    remote,
    head,
    base,
    apart,
    upstream: status.upstream ?? null,
    commits: base === undefined ? [] : await git.history(range),
    uncommitted: status.changes?.map((it) => it.path),
    checks,
  }
}

async function fetchCheck(
  isWanted: boolean,
  it: SyncDeps & { readonly remote: string | undefined; readonly file: string },
): Promise<SyncCheck> {
  const name = "fetch"
  if (it.remote === undefined) return skipped(name, "The repository has no remote.")
  if (!isWanted) return skipped(name, "Switched off with --no-fetch; branches are as last fetched.")
  const outcome = await fetchRemote({
    file: it.file,
    repository: it.repository,
    environment: it.environment(),
    timeoutMs: FETCH_TIMEOUT_MS,
    remote: it.remote,
    signal: it.call.signal,
  })
  if (outcome.kind === "fetched") return passed(name, `Fetched from ${it.remote}.`)
  return skipped(name, `${outcome.reason}. Branches are as last fetched.`)
}

async function baseOf(repository: Repository, remote: string, wish: string | undefined) {
  const name = wish ?? (await mainBranchOf(repository, remote))
  if (name === undefined) return undefined
  const commit = await refCommit(repository, `refs/remotes/${remote}/${name}`)
  if (commit === undefined && wish !== undefined) throw BaseUnknown({ base: wish, remote })
  return commit === undefined ? undefined : { name: `${remote}/${name}`, commit }
}

type Apart = { readonly ahead: number; readonly behind: number } | undefined

function upstreamCheck(upstream: string | undefined, apart: Apart): SyncCheck {
  const name = "upstream"
  if (upstream === undefined) return skipped(name, "The branch has no upstream.")
  if (apart === undefined) return skipped(name, `${upstream} was not fetched yet.`)
  const text = `${plural(apart.ahead, "commit")} ahead of ${upstream}, ${apart.behind} behind.`
  if (apart.behind === 0) return passed(name, text)
  return { name, state: apart.ahead > 0 ? "failed" : "warning", detail: text, items: [] }
}

function baseCheck(base: string | undefined, apart: Apart): SyncCheck {
  const name = "divergence"
  if (base === undefined || apart === undefined)
    return skipped(name, "The main branch of the remote is not known.")
  const text = `${plural(apart.ahead, "commit")} ahead of ${base}, ${apart.behind} behind.`
  return apart.behind === 0 ? passed(name, text) : warning(name, text)
}

function sizeCheck({ commits, base }: Compared): SyncCheck {
  const name = "size"
  if (base === undefined) return skipped(name, "The base is not known.")
  const huge = commits.filter((it) => it.changes === undefined)
  if (huge.length > 0) {
    const items = huge.map((it) => it.id.slice(0, 12))
    return skipped(name, "A commit touches more than 5,000 files; they were not listed.", items)
  }
  const count = unique(changedBy(commits)).length
  const text = `${plural(count, "file")} in ${plural(commits.length, "commit")}.`
  if (commits.length >= MOST_COMMITS) return warning(name, `At least ${text}`)
  return count > LARGE_DIFF_FILES
    ? warning(name, `${text} Split it into smaller pull requests.`)
    : passed(name, text)
}

type BranchQuery = Compared & SyncDeps & { readonly days: number }

/** Recent branches of the remote, and the base, with commits on these files. */
async function branchesOn(
  files: ReadonlySet<string>,
  it: BranchQuery,
): Promise<readonly OtherWork[]> {
  if (it.remote === undefined || it.base === undefined || files.size === 0) return []
  const { git, remote, base, head } = it
  const own = new Set([head, ...it.commits.map((commit) => commit.id)])
  const prefix = `refs/remotes/${remote}/`
  const ownRef = it.branch === undefined ? "" : prefix + it.branch
  const refs = [...(await listRefs(it.repository, prefix.slice(0, -1)))].filter(
    ([ref]) => ref !== `${prefix}HEAD` && ref !== ownRef && ref !== `refs/remotes/${base.name}`,
  )
  const tips = await git.readCommits(unique(refs.map(([, id]) => id)))
  const timeOf = new Map(tips.map((commit) => [commit.id, commit.committedAtMs]))
  const since = it.clock.now() - it.days * DAY_MS
  const recent = refs
    .map(([ref, id]) => ({ where: ref.slice(prefix.length), id, at: timeOf.get(id) ?? 0 }))
    .filter(({ at }) => at >= since)
    .toSorted((a, b) => b.at - a.at || compareText(a.where, b.where))
    .slice(0, MOST_BRANCHES)
  const work: OtherWork[] = []
  for (const { where, id } of recent) {
    const commits = await git.history({ from: id, since: base.commit, limit: MOST_COMMITS })
    work.push(
      ...overlap(
        files,
        where,
        commits.filter((commit) => !own.has(commit.id)),
      ),
    )
  }
  const ahead = await git.history({ from: base.commit, since: head, limit: MOST_COMMITS })
  return [...overlap(files, base.name, ahead), ...work]
}

function overlap(
  files: ReadonlySet<string>,
  where: string,
  commits: readonly Commit[],
): readonly OtherWork[] {
  const touching = commits.filter((it) => changedBy([it]).some((file) => files.has(file)))
  if (touching.length === 0) return []
  const shared = unique(changedBy(touching)).filter((file) => files.has(file))
  return [{ who: unique(touching.map((it) => it.author)).join(", "), where, files: shared }]
}

/** Claims and live sessions in this repository, in all worktrees. */
async function sessionsOn(
  files: readonly string[],
  { claims, ledger, clock, repository }: SyncDeps,
): Promise<readonly OtherWork[]> {
  const isBelow = (file: string, claimed: string) =>
    file === claimed || file.startsWith(`${claimed}/`)
  const held = claims()
    .list()
    .map((it) => ({
      who: it.session,
      where: "claim",
      files: files.filter((file) => isBelow(file, it.path)),
    }))
  const options = { exceptSessionId: "", sinceMs: clock.now() - LIVE_SESSION_MS }
  const live = (await ledger().othersInTree(treeName(repository.root), options)).map((it) => ({
    who: it.sessionId,
    where: `${it.host ?? "agent"} session`,
    files: files.filter((file) => it.paths.includes(file)),
  }))
  return [...held, ...live].filter((it) => it.files.length > 0)
}

function othersCheck(
  files: readonly string[],
  others: readonly OtherWork[],
  { base, uncommitted }: Compared,
): SyncCheck {
  const name = "others"
  const items = others.map((it) => `${it.where}: ${it.who} on ${it.files.join(", ")}`)
  if (others.length > 0)
    return { ...warning(name, "Other branches or sessions changed the same files."), items }
  if (base === undefined) return skipped(name, "The base is not known, so branches were not read.")
  if (uncommitted === undefined) return skipped(name, "The working tree could not be compared.")
  if (files.length === 0) return passed(name, "No file is changed here yet.")
  return passed(name, `No other branch or session changed the ${plural(files.length, "file")}.`)
}

async function openPulls(
  { branch }: Compared,
  deps: SyncDeps,
): Promise<{ readonly pulls: PullRequest[] | null; readonly check: SyncCheck }> {
  const name = "pull requests"
  try {
    const { provider } = await deps.open()
    const brief = [...(await provider.list({}))]
    const own = brief.filter((it) => it.branch === branch)
    const first = [...own, ...brief.filter((it) => it.branch !== branch)]
    const pulls = await Promise.all(
      first.map(async (it, at) => (at < MOST_COMPLETED_PULLS ? provider.complete(it) : it)),
    )
    const items = pulls.map(
      (it) => `#${it.number} ${it.title} (${it.branch}): CI ${it.ci}, review ${it.review}`,
    )
    const isRed = pulls.some(
      (it) => it.branch === branch && (it.ci === "failed" || it.review === "changes-requested"),
    )
    const detail = `${plural(pulls.length, "open pull request")}.`
    return { pulls, check: { name, state: isRed ? "warning" : "passed", detail, items } }
  } catch (error) {
    return { pulls: null, check: skipped(name, reasonOf(error, deps)) }
  }
}

/** A missing program is a reason to skip; a bug is not. */
function reasonOf(error: unknown, { call }: SyncDeps): string {
  call.signal.throwIfAborted()
  if (!isAppError(error)) throw error
  return `${error.message} ${error.hint}`
}

function branchCheck({ branch, base, remote, apart }: Compared): SyncCheck {
  const name = "branch"
  if (branch === undefined)
    return failed(name, "HEAD is detached; create a branch with `git switch -c my-change`.")
  if (base === undefined) return skipped(name, "The base is not known.")
  if (base.name === `${remote}/${branch}`)
    return failed(name, `${branch} is the branch to merge into; create a branch for the change.`)
  if (apart?.ahead === 0)
    return failed(name, `The branch has no commit that is not in ${base.name}.`)
  return passed(
    name,
    `${branch} has ${plural(apart?.ahead ?? 0, "commit")} to merge into ${base.name}.`,
  )
}

function uncommittedCheck({ uncommitted }: Compared): SyncCheck {
  const name = "working tree"
  if (uncommitted === undefined) return skipped(name, "The working tree could not be compared.")
  if (uncommitted.length === 0) return passed(name, "Everything is committed.")
  const text = `${plural(uncommitted.length, "file")} with uncommitted changes will not be in the pull request.`
  return { ...warning(name, text), items: [...uncommitted] }
}

async function pushedCheck(
  { branch, remote, head, git }: Compared,
  { repository }: SyncDeps,
): Promise<SyncCheck> {
  const name = "pushed"
  if (branch === undefined || remote === undefined)
    return skipped(name, "It needs a branch and a remote.")
  const upstream = await upstreamOf(repository, branch)
  const ref = `refs/remotes/${remote}/${branch}`
  const commit = await refCommit(repository, ref)
  if (commit === undefined)
    return warning(
      name,
      `${branch} is not on ${remote}; push it with \`git push -u ${remote} ${branch}\`.`,
    )
  if (commit === head) return passed(name, `${remote}/${branch} is up to date.`)
  const { behind } = await git.countApart(head, commit)
  const isSame = upstream === undefined || upstream.ref === ref
  if (behind > 0 && isSame)
    return failed(
      name,
      `${remote}/${branch} has ${plural(behind, "commit")} that this branch does not have.`,
    )
  return warning(name, `${remote}/${branch} does not have all commits of this branch; push them.`)
}

async function forecast(
  { head, base, file }: Compared,
  deps: SyncDeps,
): Promise<{ readonly conflicts: string[] | null; readonly check: SyncCheck }> {
  const name = "conflicts"
  const common = deps.repository.gitCommonDirectory
  if (base === undefined || common === undefined)
    return { conflicts: null, check: skipped(name, "The base is not known.") }
  const options = { file, common, environment: deps.environment(), signal: deps.call.signal }
  const merge = await forecastMerge({ ours: head, theirs: base.commit }, options)
  if (merge.kind === "unknown") return { conflicts: null, check: skipped(name, `${merge.why}.`) }
  if (merge.kind === "clean")
    return { conflicts: [], check: passed(name, `It merges into ${base.name} without conflicts.`) }
  const conflicts = [...merge.files]
  const detail = `It conflicts with ${base.name} in ${plural(conflicts.length, "file")}.`
  return { conflicts, check: { name, state: "failed", detail, items: conflicts } }
}

async function duplicateCheck(state: Compared, deps: SyncDeps): Promise<SyncCheck> {
  const name = "duplicates"
  const { branch, base } = state
  if (branch === undefined || base === undefined)
    return skipped(name, "It needs a branch and a base.")
  try {
    const { provider } = await deps.open()
    const pulls = await provider.list({})
    const own = pulls.find((it) => it.branch === branch)
    if (own !== undefined)
      return {
        ...failed(name, `The branch already has an open pull request: ${own.url}`),
        items: [own.url],
      }
    const similar = await similarPulls(pulls, state, deps.repository)
    if (similar.length === 0)
      return passed(
        name,
        `None of ${plural(pulls.length, "open pull request")} changes the same files.`,
      )
    const items = similar.map((it) => `#${it.number} ${it.title} (${it.branch})`)
    return { ...warning(name, "Open pull requests change the same files."), items }
  } catch (error) {
    return skipped(name, reasonOf(error, deps))
  }
}

/** By the commits of their branches, as fetched: no further request is needed. */
async function similarPulls(
  pulls: readonly PullRequest[],
  { git, base, remote, commits }: Compared,
  repository: Repository,
): Promise<readonly PullRequest[]> {
  const own = new Set(changedBy(commits))
  const similar: PullRequest[] = []
  for (const pull of pulls.slice(0, MOST_BRANCHES)) {
    const tip = await refCommit(repository, `refs/remotes/${remote}/${pull.branch}`)
    if (tip === undefined || base === undefined) continue
    const theirs = await git.history({ from: tip, since: base.commit, limit: MOST_COMMITS })
    const files = unique(changedBy(theirs))
    const shared = files.filter((it) => own.has(it)).length
    const smaller = Math.min(own.size, files.length)
    if (smaller > 0 && shared / smaller >= DUPLICATE_SHARE) similar.push(pull)
  }
  return similar
}

function changedBy(commits: readonly Commit[]): readonly string[] {
  return commits.flatMap((it) => (it.changes ?? []).map((change) => change.path))
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted(compareText)
}

const check =
  (state: SyncCheck["state"]) =>
  (name: string, detail: string, items: string[] = []): SyncCheck => ({
    name,
    state,
    detail,
    items,
  })
const passed = check("passed")
const warning = check("warning")
const failed = check("failed")
const skipped = check("skipped")
