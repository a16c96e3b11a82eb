import { isUtf8 } from "node:buffer"
import type { Clock } from "#ground/base"
import { type Commit, cleanMessage } from "#know/search"
import {
  type BlobOutcome,
  type Change,
  classify,
  classifyPath,
  type Git,
  headCommit,
  openTree,
  type Repository,
  type Skip,
  type TreeFile,
  type WalkedFile,
  walkTree,
} from "#see/repo"
import { LARGEST_TEXT_BYTES, MOST_PAST_COMMITS, RACY_MS } from "../limits.ts"
import type { CommitHistory, SourceEntry, SourceText, TreeSource } from "./types.ts"

/** To detect binary and generated files. */
const HEAD_BYTES = 8_192

export function workingTree(options: {
  readonly repository: Repository
  readonly git: Git | { readonly problem: string }
  readonly clock: Clock
  /** The machine: in a shared database the same path is another tree on each. */
  readonly place?: string
}): TreeSource {
  const { repository, git, clock, place: machine } = options
  return {
    key: machine === undefined ? repository.root : JSON.stringify([machine, repository.root]),
    format: "problem" in git ? "sha1" : git.format,
    async list(signal) {
      const startedAtMs = clock.now()
      const [walk, gitSha] = await Promise.all([
        walkTree(repository, { signal }),
        headCommit(repository),
      ])
      const entries = walk.files.map((it) => entryOf(it, startedAtMs))
      return { entries, skipped: walk.skipped, gitSha }
    },
    async *read(entries, signal) {
      using tree = openTree(repository.root)
      for (const { path } of entries) {
        signal.throwIfAborted()
        yield textOrSkip(path, tree.read(path))
      }
    },
    async past({ gitSha, known, redact }, signal) {
      if ("problem" in git) return { problem: git.problem }
      if (gitSha === undefined) return { problem: "the repository has no readable commit" }
      return pastOf(git, { from: gitSha, known, redact, signal })
    },
  }
}

/**
 * A file without a stamp is read again at the next scan. Two writes within the resolution of the
 * file system's clock leave the same time; after two seconds that is impossible.
 */
function entryOf({ path, stat }: WalkedFile, startedAtMs: number): SourceEntry {
  const { sizeBytes, modifiedAtMs, changedAtMs, inode } = stat
  const isRacy = modifiedAtMs > startedAtMs - RACY_MS
  const stamp = isRacy ? {} : { stamp: `${sizeBytes} ${modifiedAtMs} ${changedAtMs} ${inode}` }
  return { path, sizeBytes, ...stamp }
}

function textOrSkip(path: string, file: TreeFile): SourceText {
  switch (file.kind) {
    case "read":
      return { path, bytes: file.bytes, fileClass: file.class }
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
        gitSha: commit,
      }
    },
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
  const commits = new Map<string, Commit>()
  const trusted = previous === undefined || goesOnAfter(ids, previous) ? undefined : previous
  for (const [at, commit] of (trusted?.commits ?? []).entries()) {
    commits.set(trusted?.ids[at] ?? "", commit)
  }
  const unknown = ids.filter((id) => !commits.has(id))
  signal.throwIfAborted()
  for (const { id, message, changes } of await git.readCommits(unknown)) {
    // Redact first: cleaning removes hashes, and a key without its digits is not recognised.
    const words = cleanMessage(redact(message))
    commits.set(id, { message: words, files: (changes ?? []).flatMap(pathsOf) })
  }
  const commitsInOrder = ids.flatMap((id) => {
    const commit = commits.get(id)
    return commit === undefined ? [] : [{ id, commit }]
  })
  return { ids: commitsInOrder.map((it) => it.id), commits: commitsInOrder.map((it) => it.commit) }
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
