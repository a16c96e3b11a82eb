import { type Clock, silentLog, systemClock, systemRandom } from "#ground/base"
import type { ScanResult } from "#ground/contract"
import { type Db, openStore } from "#ground/store"
import { createTokens } from "#ground/tokens"
import {
  createMap,
  createTreeIndex,
  type IndexedTree,
  type RepoMap,
  type TreeIndex,
  type TreeSource,
} from "#know/map"
import type { Commit } from "#know/search"
import { blobId, classify } from "#see/repo"

export type MadeTree = Awaited<ReturnType<typeof madeIndex>> & {
  readonly tree: IndexedTree
  readonly source: TreeSource
  readonly result: ScanResult
}

const DAY_MS = 86_400_000
export const NEWEST_COMMIT_MS = Date.UTC(2026, 10, 15)

type MadeCommit = Commit & { readonly daysBefore?: number }

/** A tree made of texts, scanned like a real one into its own store. Commits are newest first. */
export async function madeTree(
  files: Readonly<Record<string, string>>,
  commits?: readonly MadeCommit[],
): Promise<MadeTree> {
  const made = await madeIndex()
  const source = memorySource({ files, ...(commits !== undefined && { commits }) })
  const { signal } = new AbortController()
  const { tree, result } = await made.index.scan(source, { mode: "incremental", signal })
  return { ...made, tree, source, result }
}

export async function madeIndex(clock: Clock = systemClock) {
  const store = await openStore({
    location: { kind: "memory" },
    clock,
    random: systemRandom,
    log: silentLog,
  })
  const db = store.forRoom("map")
  return { store, db, index: indexOn(db, { clock }), [Symbol.asyncDispose]: () => store.close() }
}

export function indexOn(
  db: Db<"map">,
  {
    clock = systemClock,
    redact = (text: string) => text,
  }: { readonly clock?: Clock; readonly redact?: (text: string) => string } = {},
): TreeIndex {
  const { counter } = tokens
  return createTreeIndex({
    db,
    map: sharedMap(),
    counter,
    clock,
    log: silentLog,
    redact: async () => redact,
  })
}

/** A tree source in memory; `given` may change between two scans. */
export function memorySource(options: {
  readonly files: Readonly<Record<string, string>>
  readonly commits?: readonly MadeCommit[]
  readonly key?: string
}): TreeSource {
  const bytesOf = (path: string) => Buffer.from(options.files[path] ?? "")
  return {
    key: options.key ?? "memory",
    format: "sha1",
    async list() {
      const paths = Object.keys(options.files).toSorted()
      const entries = paths.map((path) => {
        const bytes = bytesOf(path)
        return { path, sizeBytes: bytes.length, blobId: blobId(bytes, "sha1") }
      })
      return { entries, skipped: [], probes: [], gitSha: undefined }
    },
    isUnchanged: async () => false,
    async *read(entries, signal) {
      for (const { path } of entries) {
        signal.throwIfAborted()
        const bytes = bytesOf(path)
        if (path in options.files) yield { path, bytes, fileClass: classify(path, bytes) }
        else yield { path, skip: "changed" as const }
      }
    },
    async past() {
      const { commits } = options
      if (commits === undefined) return { problem: "this tree lies in memory and has no past" }
      return {
        ids: commits.map((_, at) => String(at)),
        timesMs: commits.map((it) => NEWEST_COMMIT_MS - (it.daysBefore ?? 0) * DAY_MS),
        commits: commits.map(({ message, files }) => ({ message, files })),
      }
    },
  }
}

const tokens = createTokens({ encoding: "claude" })
let map: RepoMap | undefined

function sharedMap(): RepoMap {
  map ??= createMap()
  return map
}
