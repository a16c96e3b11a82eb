import { isUtf8 } from "node:buffer"
import path from "node:path"
import { type Clock, type FileStat, giveOthersATurn, releaseMemory, statNow } from "#ground/base"
import { type Commit, cleanMessage } from "#know/search"
import {
  type BlobOutcome,
  type Change,
  classify,
  classifyPath,
  type Git,
  headCommit,
  type ObjectFormat,
  openTree,
  type Repository,
  type Skip,
  type TreeFile,
  type WalkedFile,
  walkTree,
} from "#see/repo"
import { LARGEST_TEXT_BYTES, MOST_PAST_COMMITS, RACY_MS } from "../limits.ts"
import type {
  CommitHistory,
  ListedBefore,
  SourceEntry,
  SourceState,
  SourceText,
  TreeProbe,
  TreeSource,
} from "./types.ts"

/** A stat takes some microseconds; after this many a check yields to the event loop. */
const STATS_A_TURN = 1_024

/** Below the limits of a walk, so that none of them can apply to what is listed again. */
const LARGEST_COMPARED_BYTES = 1024 ** 3
const MOST_COMPARED_SKIPS = 5_000

/** To detect binary and generated files. */
const HEAD_BYTES = 8_192

export function workingTree(options: {
  readonly repository: Repository
  readonly format: ObjectFormat
  /** Opened when a scan reads history, because opening takes as long as many stats. */
  readonly git: () => Promise<Git | { readonly problem: string }>
  readonly clock: Clock
  /** Called by each `list` with all folders that have a part in it. */
  readonly onFolders?: (paths: readonly string[]) => void
  /** The machine: in a shared database the same path is another tree on each. */
  readonly place?: string
}): TreeSource {
  const { repository, format, clock, place: machine } = options
  const { gitCommonDirectory } = repository
  const shallow = gitCommonDirectory && path.join(gitCommonDirectory, "shallow")
  return {
    key: machine === undefined ? repository.root : JSON.stringify([machine, repository.root]),
    format,
    // The history of a shallow clone changes without its commit when it is deepened.
    ...(shallow && { historyProbe: shallow }),
    async list(signal, before) {
      const startedAtMs = clock.now()
      const gitSha = await headCommit(repository)
      const again = before && (await listAgain(repository.root, before, { signal, startedAtMs }))
      if (again !== undefined) {
        options.onFolders?.(foldersIn(again.probes))
        return { ...again, gitSha }
      }
      const historyStat = shallow && statNow(shallow)
      const walk = await walkTree(repository, { signal })
      const entries = walk.files.map((it) => entryOf(it, startedAtMs))
      options.onFolders?.(foldersIn(walk.probes))
      const history = shallow
        ? [{ path: shallow, stat: historyStat || undefined, isFolder: undefined }]
        : []
      const probes = [...history, ...walk.probes].map(({ path, stat, isFolder }) => ({
        path,
        stamp: stampOf(stat, startedAtMs),
        isFolder,
      }))
      return { entries, skipped: walk.skipped, probes, gitSha }
    },
    async isUnchanged(state, signal) {
      if ((await headCommit(repository)) !== state.gitSha) return false
      return areUnchanged(repository.root, state.paths, signal)
    },
    async *read(entries, signal) {
      using tree = openTree(repository.root)
      for (const { path } of entries) {
        signal.throwIfAborted()
        const file = tree.read(path)
        yield textOrSkip(path, file)
        if (file.kind === "read") releaseMemory([file.bytes])
      }
    },
    async past({ gitSha, known, redact }, signal) {
      const git = await options.git()
      if ("problem" in git) return { problem: git.problem }
      if (gitSha === undefined) return { problem: "the repository has no readable commit" }
      return pastOf(git, { from: gitSha, known, redact, signal })
    },
  }
}

function entryOf(
  { path, stat }: Pick<WalkedFile, "path" | "stat">,
  startedAtMs: number,
): SourceEntry {
  const stamp = stampOf(stat, startedAtMs)
  return { path, sizeBytes: stat.sizeBytes, ...(stamp !== undefined && { stamp }) }
}

/**
 * Undefined if the path changed shortly before. Two writes within the resolution of the file
 * system's clock leave the same time; after two seconds that is impossible.
 */
function stampOf(stat: FileStat | undefined, startedAtMs: number): string | undefined {
  if (stat === undefined) return MISSING
  const { sizeBytes, modifiedAtMs, changedAtMs, inode } = stat
  const isRacy = Math.max(modifiedAtMs, changedAtMs) > startedAtMs - RACY_MS
  return isRacy ? undefined : `${sizeBytes} ${modifiedAtMs} ${changedAtMs} ${inode}`
}

const MISSING = "missing"

function foldersIn(probes: readonly TreeProbe[]): readonly string[] {
  return probes.flatMap((it) => (it.isFolder ? [it.path] : []))
}

type AgainOptions = { readonly signal: AbortSignal; readonly startedAtMs: number }

/**
 * The files of an earlier walk with their present times, for a third of a walk's time. While each
 * folder and each ignore file is unchanged, every name still belongs to the same file. Undefined if
 * only a walk can tell.
 */
async function listAgain(
  root: string,
  before: ListedBefore,
  { signal, startedAtMs }: AgainOptions,
) {
  const { probes, skipped, files, unread, refused } = before
  const hasFolders = probes.some((it) => it.isFolder)
  // A longer list may be cut, and a file may be left out for the size of the others.
  const isCut =
    skipped.length > MOST_COMPARED_SKIPS || skipped.some((it) => it.reason === "too-much-text")
  if (!hasFolders || isCut || !(await areUnchanged(root, probes, signal))) return undefined
  const entries: SourceEntry[] = []
  let bytes = 0
  for (const { path } of [...files, ...unread, ...refused]) {
    if (entries.length % STATS_A_TURN === 0) await giveOthersATurn()
    signal.throwIfAborted()
    const stat = statNow(`${root}/${path}`)
    if (stat === undefined || stat.sizeBytes > LARGEST_TEXT_BYTES) return undefined
    bytes += stat.sizeBytes
    entries.push(entryOf({ path, stat }, startedAtMs))
  }
  if (bytes > LARGEST_COMPARED_BYTES) return undefined
  return { entries, skipped, probes }
}

async function areUnchanged(
  root: string,
  paths: SourceState["paths"],
  signal: AbortSignal,
): Promise<boolean> {
  let stats = 0
  for (const { path: name, stamp } of paths) {
    if (++stats % STATS_A_TURN === 0) await giveOthersATurn()
    signal.throwIfAborted()
    if (stamp === undefined) return false
    const file = path.isAbsolute(name) ? name : `${root}/${name}`
    if (stampOf(statNow(file), Number.POSITIVE_INFINITY) !== stamp) return false
  }
  return true
}

function textOrSkip(path: string, file: TreeFile): SourceText {
  switch (file.kind) {
    case "read":
      return {
        path,
        bytes: file.bytes,
        get fileClass() {
          return file.class
        },
      }
    case "skipped":
      return { path, skip: file.reason }
    case "missing":
      return { path, skip: "changed" }
    default:
      return file satisfies never
  }
}

export function commitTree(options: {
  readonly git: Git
  readonly commit: string
  readonly key?: string
}): TreeSource {
  const { git, commit, key = "commit" } = options
  return {
    key,
    format: git.format,
    async list() {
      const { entries, unnameable } = await git.listTree(commit)
      const unnamed = Array.from({ length: unnameable }, () => UNNAMED)
      const listed = entries.map(({ path, id, mode }) => ({ path, id, skip: skipOf(path, mode) }))
      return {
        entries: listed.flatMap((it) =>
          it.skip === undefined ? [{ path: it.path, sizeBytes: 0, blobId: it.id }] : [],
        ),
        skipped: [...listed.flatMap((it) => it.skip ?? []), ...unnamed],
        probes: [],
        gitSha: commit,
      }
    },
    isUnchanged: async ({ gitSha }) => gitSha === commit,
    async *read(entries, signal) {
      const ids = entries.map((it) => it.blobId ?? "")
      let at = 0
      for await (const outcome of git.readBlobs(ids, { maxBlobBytes: LARGEST_TEXT_BYTES })) {
        signal.throwIfAborted()
        const path = entries[at++]?.path ?? ""
        yield judged(path, outcome)
      }
    },
    past: ({ known, redact }, signal) => pastOf(git, { from: commit, known, redact, signal }),
  }
}

const UNNAMED: Skip = { path: "", reason: "name-not-utf8" }

function skipOf(path: string, mode: string): Skip | undefined {
  if (mode === "120000") return { path, reason: "link" }
  if (mode === "160000") return { path, reason: "submodule" }
  return classifyPath(path) === "secret" ? { path, reason: "secret-bearing" } : undefined
}

function judged(path: string, outcome: BlobOutcome): SourceText {
  if (outcome.kind === "too-large") return { path, skip: "too-large" }
  if (outcome.kind !== "read") return { path, skip: "unreadable" }
  const { bytes } = outcome
  const head = bytes.subarray(0, HEAD_BYTES)
  if (head.includes(0)) return { path, skip: "binary" }
  if (!isUtf8(bytes)) return { path, skip: "not-utf8" }
  return { path, bytes, fileClass: classify(path, head) }
}

/** Lists the ids again, so that the result equals a first scan. */
async function pastOf(
  git: Git,
  range: {
    readonly from: string
    readonly known: CommitHistory | undefined
    readonly redact: (text: string) => string
    readonly signal: AbortSignal
  },
): Promise<CommitHistory> {
  const { from, known: previous, redact, signal } = range
  const ids = await git.commitIds({ from, limit: MOST_PAST_COMMITS })
  const commits = new Map<string, { readonly commit: Commit; readonly timeMs: number }>()
  const trusted = previous === undefined || goesOnAfter(ids, previous) ? undefined : previous
  for (const [at, commit] of (trusted?.commits ?? []).entries()) {
    commits.set(trusted?.ids[at] ?? "", { commit, timeMs: trusted?.timesMs[at] ?? 0 })
  }
  const unknown = ids.filter((id) => !commits.has(id))
  signal.throwIfAborted()
  for (const { id, message, changes, committedAtMs } of await git.readCommits(unknown)) {
    // Redact first: cleaning removes hashes, and a key without its digits is not recognised.
    const words = cleanMessage(redact(message))
    const commit = { message: words, files: (changes ?? []).flatMap(pathsOf) }
    commits.set(id, { commit, timeMs: committedAtMs })
  }
  const inOrder = ids.flatMap((id) => {
    const dated = commits.get(id)
    return dated === undefined ? [] : [{ id, ...dated }]
  })
  return {
    ids: inOrder.map((it) => it.id),
    timesMs: inOrder.map((it) => it.timeMs),
    commits: inOrder.map((it) => it.commit),
  }
}

/**
 * Whether there is history before the oldest known commit. In a shallow clone that commit had no
 * parent, so it seemed to change every file.
 */
function goesOnAfter(ids: readonly string[], previous: CommitHistory): boolean {
  if (previous.ids.length >= MOST_PAST_COMMITS) return false
  const oldest = ids.indexOf(previous.ids.at(-1) ?? "")
  return oldest >= 0 && oldest < ids.length - 1
}

/** A renamed file was changed under both names. */
function pathsOf(change: Change): readonly string[] {
  return change.kind === "renamed" ? [change.path, change.from] : [change.path]
}
