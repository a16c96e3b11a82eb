import path from "node:path"
import {
  type Clock,
  ensureDirectory,
  isInside,
  listDirectory,
  processIdentity,
  realPath,
  statFile,
} from "#ground/base"
import type {
  Config,
  ParsedInput,
  Worktree,
  WorktreeCheck,
  WorktreeCreated,
  WorktreeDiff,
  WorktreeList,
  WorktreeOpened,
  WorktreeRemoved,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { type Claims, type Ledger, treeName, worktreeSession } from "#know/ledger"
import type { Repository } from "#see/repo"
import {
  CommitUnknown,
  FolderNested,
  GitMissing,
  WorktreeExists,
  WorktreeInUse,
  WorktreeNameInvalid,
  WorktreeUnknown,
} from "./errors.ts"
import { mergeBase, mergeIntoBase } from "./land-worktree.ts"
import { changedFiles, forecastConflicts, snapshotIfThere, snapshotTree } from "./merge-forecast.ts"
import { assignPorts, copyIgnored, runSetup, worktreeEnvironment } from "./prepare-worktree.ts"
import { createRegistry, type WorktreeRecord } from "./registry.ts"
import { findWork, refuseUnmerged, storeRescue } from "./remove-worktree.ts"
import { cutDiff, diffOfCommits, diffOfTree } from "./worktree-diff.ts"
import { openWorktreeGit, type WorktreeGit } from "./worktree-git.ts"

const NAME = /^[a-z0-9][a-z0-9._-]{0,59}$/

/** Claims of a worktree last until it is removed, or for a day without any activity in it. */
const CLAIM_LEASE_MS = 24 * 60 * 60_000

const LIVE_SESSION_MS = 30 * 60_000

const LONGEST_SLUG_UNITS = 40

export type WorktreeTicket = {
  readonly id: string
  readonly title: string
  readonly paths: readonly string[]
}

export type WorktreesDeps = {
  readonly repository: Repository
  readonly clock: Clock
  environment(): Readonly<Record<string, string | undefined>>
  settings(): Config["worktrees"]
  claims(): Claims
  ledger(): Ledger
  /** Undefined if there is no such ticket. */
  findTicket(ref: string): Promise<WorktreeTicket | undefined>
  redact(text: string): Promise<string>
  db(): Promise<Db<"worktrees">>
}

export type Worktrees = ReturnType<typeof createWorktrees>

type Call = { readonly signal: AbortSignal }

export type CreateRequest = ParsedInput<"worktree.new"> & {
  /** Of the swarm; otherwise the name decides. */
  readonly ticket?: WorktreeTicket
}

/** Worktrees in which a project starts, and whose removal loses no work. */
export function createWorktrees(deps: WorktreesDeps) {
  const { repository } = deps
  const registry = createRegistry(repository.stateDirectory)
  const openGit = ({ signal }: Call) =>
    openWorktreeGit({ repository, environment: deps.environment(), signal })

  async function find(name: string): Promise<WorktreeRecord> {
    const record = NAME.test(name) ? await registry.read(name) : undefined
    if (record !== undefined) return record
    throw WorktreeUnknown({ name, known: (await registry.list()).map((it) => it.name) })
  }

  async function create(request: CreateRequest, call: Call): Promise<WorktreeCreated> {
    const git = await openGit(call)
    const head = await git.commitOf("HEAD")
    if (head === undefined) throw GitMissing({ reason: "the repository has no commit" })
    const ticket = request.ticket ?? (await deps.findTicket(request.name))
    const name = nameOf(request, ticket)
    const draft = await registry.locked(() => addWorktree({ git, name, ticket, request, head }))
    const from = mainRoot(repository) ?? repository.root
    const settings = deps.settings()
    const patterns = splitList(settings.copy)
    const { copied, skipped } = await copyIgnored(from, draft.path, { git, patterns })
    const claims = await claimPaths(draft, ticket?.paths ?? [])
    const setup =
      settings.setup.trim() === "" ? null : await runSetup(draft, settings.setup, setupDeps(call))
    const isFailed = setup !== null && setup.exitCode !== 0
    const state = isFailed ? "failed" : "ready"
    const record: WorktreeRecord = { ...draft, copied: [...copied], setup, state }
    await registry.write(record)
    await emit(name, false)
    return { worktree: await describe(record, git), skipped: [...skipped], ...claims }
  }

  const setupDeps = ({ signal }: Call) => ({
    environment: deps.environment(),
    signal,
    now: () => deps.clock.monotonicMs(),
    redact: deps.redact,
  })

  async function emit(name: string, isRemoved: boolean): Promise<void> {
    const db = await deps.db()
    await db.transaction(async (tx) => tx.emit("worktrees.changed", { name, isRemoved }))
  }

  type Addition = {
    readonly git: WorktreeGit
    readonly name: string
    readonly ticket: WorktreeTicket | undefined
    readonly request: CreateRequest
    readonly head: string
  }

  /** The record is written before git runs, so that a killed process leaves no unknown worktree. */
  async function addWorktree(addition: Addition): Promise<WorktreeRecord> {
    const { git, name } = addition
    const records = await registry.list()
    const earlier = records.find((it) => it.name === name)
    if (earlier?.state === "ready")
      throw WorktreeExists({ name, reason: `it exists at ${earlier.path}` })
    const record = earlier ?? (await draftRecord({ ...addition, records }))
    if (earlier === undefined) await registry.write(record)
    await git.tell(["worktree", "prune"])
    if (await checkWorktreeAt(git, record.path)) return record
    await refuseFilled(record)
    await ensureDirectory(path.dirname(record.path))
    const isThere = await git.isBranch(record.branch)
    const args = isThere
      ? ["worktree", "add", record.path, record.branch]
      : ["worktree", "add", "-b", record.branch, record.path, record.baseCommit]
    try {
      await git.tell(args)
    } catch (error) {
      if (earlier === undefined) await registry.remove(name)
      throw error
    }
    return record
  }

  async function draftRecord(
    it: Addition & { readonly records: readonly WorktreeRecord[] },
  ): Promise<WorktreeRecord> {
    const { git, name, ticket, request, head, records } = it
    const settings = deps.settings()
    const commit = request.from === undefined ? head : await git.commitOf(request.from)
    if (commit === undefined) throw CommitUnknown({ from: request.from ?? "" })
    const branch = `qm/${name}`
    if (await git.isBranch(branch))
      throw WorktreeExists({ name, reason: `the branch ${branch} exists` })
    const place = path.join(folderOf(repository, settings.folder), name)
    for (const root of await worktreeRoots(git)) {
      if (isInside(root, place)) throw FolderNested({ path: place, root })
    }
    const from = request.from ?? (await git.branchAt(repository.root))
    const isBranch = from !== undefined && (await git.isBranch(from))
    return {
      v: 1,
      name,
      path: place,
      branch,
      state: "creating",
      baseRef: isBranch ? from : null,
      baseCommit: commit,
      ticket: ticket?.id ?? null,
      firstPort: await assignPorts(records, settings),
      ports: settings.ports,
      copied: [],
      setup: null,
      createdAt: deps.clock.now(),
    }
  }

  /** A path that another session holds is reported; the worktree is made anyway. */
  async function claimPaths(record: WorktreeRecord, paths: readonly string[]) {
    const claimed: string[] = []
    const heldByOthers: { path: string; session: string }[] = []
    const holder = {
      session: worktreeSession(await realPath(record.path)),
      process: processIdentity(),
      leaseMs: CLAIM_LEASE_MS,
    }
    for (const it of new Set(paths.map(fixedPart).filter((part) => part !== ""))) {
      const outcome = await deps.claims().take([it], holder)
      if (outcome.kind === "taken") claimed.push(it)
      else heldByOthers.push({ path: it, session: outcome.by.session })
    }
    return { claimed, heldByOthers }
  }

  async function releaseClaims(session: string): Promise<void> {
    const claims = deps.claims()
    for (const it of claims.list()) if (it.session === session) await claims.release(it)
  }

  async function sessionsAt(root: string): Promise<readonly string[]> {
    const sinceMs = deps.clock.now() - LIVE_SESSION_MS
    const options = { exceptSessionId: "", sinceMs }
    const others = await deps.ledger().othersInTree(treeName(root), options)
    return others.map((it) => it.sessionId)
  }

  async function describe(record: WorktreeRecord, git: WorktreeGit): Promise<Worktree> {
    const { v: _, copied, ...fields } = record
    const shown = { ...fields, copied: copied.map((it) => it.path) }
    const isThere = (await statFile(path.join(record.path, ".git"))).kind === "found"
    const unknown = { uncommitted: null, ahead: null, behind: null, sessions: [] }
    if (!isThere) {
      const state = record.state === "creating" ? record.state : "missing"
      return { ...shown, state, ...unknown }
    }
    const cwd = record.path
    const status = await git.ask(["status", "--porcelain", "-z", "--no-renames"], { cwd })
    const uncommitted = status.code === 0 ? status.output.split("\0").length - 1 : null
    const head = await git.commitOf("HEAD", { cwd })
    const base = await baseCommitOf(record, git)
    const apart = head === undefined || base === undefined ? undefined : await git.apart(head, base)
    return {
      ...shown,
      branch: (await git.branchAt(cwd)) ?? null,
      uncommitted,
      ahead: apart?.ahead ?? null,
      behind: apart?.behind ?? null,
      sessions: [...(await sessionsAt(await realPath(cwd)))],
    }
  }

  return {
    create,

    async list(call: Call): Promise<WorktreeList> {
      const git = await openGit(call)
      const records = await registry.list()
      const own = await Promise.all(records.map((it) => describe(it, git)))
      const ownPaths = new Set(records.map((it) => it.path))
      const foreign = (await gitWorktrees(git)).filter(
        (it) => !ownPaths.has(it.path) && it.path !== mainRoot(repository),
      )
      const others = await Promise.all(
        foreign.map(async (it) => foreignWorktree(it, [...(await sessionsAt(it.path))])),
      )
      const folder = folderOf(repository, deps.settings().folder)
      return { worktrees: [...own, ...others], folder }
    },

    async open({ name }: { readonly name: string }, call: Call): Promise<WorktreeOpened> {
      const record = await find(name)
      const worktree = await describe(record, await openGit(call))
      return { worktree, environment: worktreeEnvironment(record) }
    },

    async check({ name }: { readonly name: string }, call: Call): Promise<WorktreeCheck> {
      const record = await find(name)
      const git = await openGit(call)
      const own = await snapshotTree(git, record.path)
      const base = await baseCommitOf(record, git)
      const others: WorktreeCheck["others"] = []
      for (const other of await registry.list()) {
        const commit = other.name === name ? undefined : await snapshotIfThere(git, other.path)
        if (commit === undefined) continue
        const conflicts = [...(await forecastConflicts(git, own.commit, commit))]
        others.push({ with: other.name, conflicts })
      }
      const head = await git.commitOf("HEAD", { cwd: record.path })
      const apart = head === undefined || base === undefined ? null : await git.apart(head, base)
      return {
        name,
        tree: own.tree,
        changed: [...(await changedFiles(git, base ?? record.baseCommit, own.commit))],
        base:
          base === undefined
            ? null
            : {
                with: record.baseRef ?? record.baseCommit,
                conflicts: [...(await forecastConflicts(git, base, own.commit))],
              },
        behind: apart?.behind ?? null,
        others,
      }
    },

    /** Of a worktree by its name or ticket; else of the commits that name the ticket. */
    async diff({ name: ref }: { readonly name: string }, call: Call): Promise<WorktreeDiff> {
      const git = await openGit(call)
      const records = await registry.list()
      const id = (await deps.findTicket(ref))?.id
      const record =
        records.find((it) => it.name === ref) ??
        records.findLast((it) => id !== undefined && it.ticket === id)
      if (record === undefined && id === undefined)
        throw WorktreeUnknown({ name: ref, known: records.map((it) => it.name) })
      const isThere =
        record !== undefined && (await statFile(path.join(record.path, ".git"))).kind === "found"
      const changes = isThere
        ? await diffOfTree(git, record, (await baseCommitOf(record, git)) ?? record.baseCommit)
        : await diffOfCommits(git, id ?? record?.ticket ?? "")
      const { text, isCut } = cutDiff(changes.text)
      return { ...changes, name: record?.name ?? ref, text: await deps.redact(text), isCut }
    },

    async remove(
      { name, keepBranch, force }: ParsedInput<"worktree.remove">,
      call: Call,
    ): Promise<WorktreeRemoved> {
      const record = await find(name)
      const git = await openGit(call)
      return registry.locked(async () => {
        const isThere = (await statFile(path.join(record.path, ".git"))).kind === "found"
        if (!isThere) return forget(record, git, { rescue: null })
        const root = await realPath(record.path)
        if (isInside(root, repository.root) || root === repository.root)
          throw WorktreeInUse({ name, sessions: ["this command"] })
        const sessions = await sessionsAt(root)
        if (sessions.length > 0 && !force) throw WorktreeInUse({ name, sessions })
        const work = await findWork(git, record, splitList(deps.settings().disposable))
        refuseUnmerged(record, work, { keepBranch, force })
        const rescue = force ? await storeRescue(git, record, { work, at: deps.clock.now() }) : null
        await git.tell(["worktree", "remove", ...(force ? ["--force"] : []), record.path])
        await releaseClaims(worktreeSession(root))
        return forget(record, git, { rescue })
      })
    },

    /** Merges the base into the worktree's branch; the outcome names conflicts. */
    update: async (name: string, call: Call) => {
      const record = await find(name)
      return mergeBase(await openGit(call), record)
    },

    /** Moves the base to the worktree's branch, which must contain it. */
    land: async (name: string, call: Call) => {
      const record = await find(name)
      return mergeIntoBase(await openGit(call), record)
    },

    /** Commits everything that is uncommitted; undefined if there is nothing. */
    async commitAll(name: string, message: string, call: Call): Promise<string | undefined> {
      const record = await find(name)
      const git = await openGit(call)
      const cwd = record.path
      await git.tell(["add", "-A", "--", "."], { cwd })
      const isSame = (await git.ask(["diff", "--cached", "--quiet"], { cwd })).code === 0
      if (isSame) return undefined
      await git.tell(["commit", "--quiet", "--no-verify", "-m", message], { cwd })
      return git.commitOf("HEAD", { cwd })
    },
    record: find,
    claimPaths,
    git: openGit,
  }

  async function forget(
    record: WorktreeRecord,
    git: WorktreeGit,
    { rescue }: { readonly rescue: string | null },
  ): Promise<WorktreeRemoved> {
    const { name, branch } = record
    await git.tell(["worktree", "prune"])
    const commit = await git.commitOf(`refs/heads/${branch}`)
    const base = await baseCommitOf(record, git)
    const isMerged =
      commit !== undefined && base !== undefined && (await git.isAncestor(commit, base))
    if (isMerged) await git.tell(["branch", "-D", "--", branch])
    await releaseClaims(worktreeSession(record.path))
    await registry.remove(name)
    await emit(name, true)
    const keptBranch = commit === undefined || isMerged ? null : branch
    return { name, path: record.path, keptBranch, rescue }
  }
}

/** The base as it is now; the commit it started from if the branch is gone. */
async function baseCommitOf(
  { baseRef, baseCommit }: Pick<WorktreeRecord, "baseCommit" | "baseRef">,
  git: WorktreeGit,
): Promise<string | undefined> {
  const current = baseRef === null ? undefined : await git.commitOf(`refs/heads/${baseRef}`)
  return current ?? (await git.commitOf(baseCommit))
}

function nameOf(request: CreateRequest, ticket: WorktreeTicket | undefined): string {
  if (request.ticket !== undefined || ticket === undefined) {
    if (NAME.test(request.name)) return request.name
    throw WorktreeNameInvalid({ name: request.name })
  }
  const slug = ticket.title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST_SLUG_UNITS)
    .replaceAll(/^-|-$/g, "")
  return [ticket.id.toLowerCase(), slug].filter((it) => it !== "").join("-")
}

/** The folder that has `.git`; undefined for a bare repository. */
function mainRoot({ gitCommonDirectory: common }: Repository): string | undefined {
  return common !== undefined && path.basename(common) === ".git" ? path.dirname(common) : undefined
}

function folderOf(repository: Repository, setting: string): string {
  const main = mainRoot(repository) ?? repository.gitCommonDirectory ?? repository.root
  if (setting !== "") return path.resolve(main, setting)
  return path.join(path.dirname(main), `${path.basename(main)}.worktrees`)
}

/** `src/*.ts` → `src`: a claim has no patterns. */
function fixedPart(pattern: string): string {
  const parts = pattern.split("/").filter((it) => it !== "" && it !== ".")
  const wild = parts.findIndex((it) => /[*?{[]/.test(it) || it === "..")
  return (wild === -1 ? parts : parts.slice(0, wild)).join("/")
}

function splitList(setting: string): readonly string[] {
  return setting
    .split(",")
    .map((it) => it.trim())
    .filter((it) => it !== "")
}

type GitWorktree = {
  readonly path: string
  readonly branch: string | null
  readonly commit: string | null
}

async function gitWorktrees(git: WorktreeGit): Promise<readonly GitWorktree[]> {
  const listed = await git.tell(["worktree", "list", "--porcelain"])
  return listed.split("\n\n").flatMap((block) => {
    const fields = new Map(
      block.split("\n").map((line) => {
        const [name = "", ...rest] = line.split(" ")
        return [name, rest.join(" ")] as const
      }),
    )
    const at = fields.get("worktree")
    const branch = fields.get("branch")?.replace(/^refs\/heads\//, "") ?? null
    return at === undefined ? [] : [{ path: at, branch, commit: fields.get("HEAD") ?? null }]
  })
}

async function worktreeRoots(git: WorktreeGit): Promise<readonly string[]> {
  return (await gitWorktrees(git)).map((it) => it.path)
}

async function checkWorktreeAt(git: WorktreeGit, at: string): Promise<boolean> {
  const stat = await statFile(path.join(at, ".git"))
  if (stat.kind !== "found") return false
  const real = await realPath(at)
  return (await worktreeRoots(git)).includes(real)
}

async function refuseFilled({ name, path: at }: WorktreeRecord): Promise<void> {
  const listed = await listDirectory(at, { maxEntries: 1 })
  const isFree =
    listed.kind === "missing" || (listed.kind === "listed" && listed.entries.length === 0)
  if (!isFree) throw WorktreeExists({ name, reason: `the folder ${at} is not empty` })
}

function foreignWorktree({ path: at, branch, commit }: GitWorktree, sessions: string[]): Worktree {
  return {
    name: path.basename(at),
    path: at,
    branch,
    state: "foreign",
    baseRef: null,
    baseCommit: commit,
    ticket: null,
    firstPort: null,
    ports: 0,
    copied: [],
    setup: null,
    createdAt: null,
    uncommitted: null,
    ahead: null,
    behind: null,
    sessions,
  }
}
