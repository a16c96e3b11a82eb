import { isAbsolute } from "node:path"
import type { Clock, Log } from "#ground/base"
import type { ScanResult } from "#ground/contract"
import type { PrepareRedaction } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { TokenCounter } from "#ground/tokens"
import { MOST_PAST_COMMITS } from "../limits.ts"
import type { RepoMap } from "../map.ts"
import { createIndexedTree } from "./indexed-tree.ts"
import { mergeNewest, stateOf, sweepDead } from "./merge-segments.ts"
import { isReadableHere, scanSource } from "./scan.ts"
import { createPostingsStore } from "./store/postings-store.ts"
import type { StoredPast, StoredTree } from "./store/tree-codec.ts"
import {
  changesBetween,
  createTreeStore,
  type KeptTrees,
  type StoredTreeState,
} from "./store/tree-store.ts"
import type { CommitHistory, ScanOptions, TreeIndex, TreeProbe, TreeSource } from "./types.ts"

type TreeIndexDeps = {
  readonly db: Db<"map">
  readonly map: Pick<RepoMap, "languageOf" | "readers">
  readonly counter: () => Promise<TokenCounter>
  /** Redacts secrets and preserves lines; runs before anything is stored. */
  readonly redact: () => Promise<(text: string) => string>
  readonly prepareRedaction?: PrepareRedaction | undefined
  readonly clock: Clock
  readonly log: Log
}

export function createTreeIndex(deps: TreeIndexDeps): TreeIndex {
  const { db, clock } = deps
  const postings = createPostingsStore(db)
  const trees = createTreeStore(deps)
  const treeOf = (source: TreeSource, state: StoredTreeState) =>
    createIndexedTree({ db, postings, source, kept: state })

  return {
    async isCurrent(source, { signal, depth = "all" }) {
      const state = await trees.load(source.key)
      if (state === undefined || !isReadableHere(state.tree)) return false
      const { probes } = state.tree
      const paths =
        depth === "all" ? pathsOf(state.tree) : probes.filter((it) => isAbsolute(it.path))
      return source.isUnchanged({ gitSha: state.past.gitSha, paths }, signal)
    },
    async scan(source, options) {
      const startedAtMs = clock.monotonicMs()
      const { before, after, written } = await scanUntilSaved(deps, trees, { source, options })
      // Also when this scan wrote none, because interrupted scans leave segments behind.
      await mergeNewest(db)
      if (written > 0) await sweepDead(db, new Set(after.tree.files.map((it) => it.content)).size)
      const seconds = (clock.monotonicMs() - startedAtMs) / 1_000
      const result = resultOf({ before: before?.tree, after, mode: options.mode, seconds })
      deps.log.info("tree scanned", { ...result, written })
      return { result, tree: treeOf(source, after) }
    },
    async open(source) {
      const state = await trees.load(source.key)
      return state === undefined ? undefined : treeOf(source, state)
    },
  }
}

function* pathsOf({ probes, files, unread, refused }: StoredTree): Generator<TreeProbe> {
  yield* probes
  yield* files
  yield* unread
  yield* refused
}

type ScanRequest = { readonly source: TreeSource; readonly options: ScanOptions }

async function scanUntilSaved(
  deps: TreeIndexDeps,
  trees: KeptTrees,
  { source, options }: ScanRequest,
) {
  const { db, map } = deps
  const redact = await deps.redact()
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { sweeps } = await stateOf(db)
    const before = await trees.load(source.key)
    const { tree, gitSha, written } = await scanSource({
      db,
      readers: map.readers,
      languageOf: map.languageOf,
      counter: deps.counter,
      redact,
      prepareRedaction: deps.prepareRedaction,
      source,
      before: before?.tree,
      options,
    })
    const past = await pastOf(source, { gitSha, before, tree, options, redact })
    options.signal.throwIfAborted()
    const after = await trees.save({ key: source.key, before, tree, past, sweeps })
    if (after !== undefined) return { before, after, written }
  }
  throw new Error("contents were deleted repeatedly during the scan")
}

const MOST_TRIES = 5

/**
 * The history of a commit is constant, except in a shallow clone that was deepened; then its oldest
 * commits were wrong too.
 */
async function pastOf(
  source: TreeSource,
  history: {
    readonly gitSha: string | undefined
    readonly before: StoredTreeState | undefined
    readonly tree: StoredTree
    readonly options: ScanOptions
    readonly redact: (text: string) => string
  },
): Promise<StoredPast> {
  const { gitSha, before, tree, options, redact } = history
  const previous = options.mode === "full" ? undefined : before?.past
  const earlier = previous === undefined || "problem" in previous.past ? undefined : previous.past
  const isSameCommit = gitSha !== undefined && previous?.gitSha === gitSha
  const asBefore = isSameCommit && earlier !== undefined ? previous : undefined
  const stampIn = (of: StoredTree | undefined) =>
    of?.probes.find((it) => it.path === source.historyProbe)?.stamp
  const isSameHistory = stampIn(tree) !== undefined && stampIn(tree) === stampIn(before?.tree)
  if (asBefore !== undefined && (isSameHistory || isFull(earlier))) return asBefore
  let past = await source.past({ gitSha, known: earlier, redact }, options.signal)
  if (asBefore !== undefined && hasSameIds(past, earlier)) return asBefore
  if (asBefore !== undefined) {
    past = await source.past({ gitSha, known: undefined, redact }, options.signal)
  }
  if ("problem" in past) return { gitSha, past }
  const commits = past.commits.map((it) => ({ ...it, message: redact(it.message) }))
  return { gitSha, past: { ...past, commits } }
}

function isFull(past: CommitHistory | undefined): boolean {
  return (past?.ids.length ?? 0) >= MOST_PAST_COMMITS
}

function hasSameIds(past: StoredPast["past"], earlier: CommitHistory | undefined): boolean {
  if ("problem" in past || past.ids.length !== earlier?.ids.length) return false
  return past.ids.every((id, at) => id === earlier.ids[at])
}

function resultOf(scan: {
  readonly before: StoredTree | undefined
  readonly after: StoredTreeState
  readonly mode: ScanOptions["mode"]
  readonly seconds: number
}): ScanResult {
  const { before, after, mode, seconds } = scan
  const { files } = after.tree
  return {
    filesScanned: files.length,
    filesChanged: changesBetween(before, after.tree),
    symbolsIndexed: files.reduce((sum, it) => sum + it.symbolCount, 0),
    dependenciesIndexed: files.reduce((sum, it) => sum + it.importCount, 0),
    durationSeconds: seconds,
    gitSha: after.past.gitSha ?? null,
    mode,
  }
}
