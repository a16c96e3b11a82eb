import { hostname } from "node:os"
import type { CallContext, ScanMode } from "#ground/contract"
import type { IndexedTree, ScannedTree, TreeIndex, TreeSource } from "#know/map"
import type { Git } from "#see/repo"
import type { Services } from "../services.ts"

/** Scanned when an operation needs it, never in the background. */
export type RepositoryMap = {
  scan(mode: ScanMode, context: CallContext): Promise<ScannedTree>
  /** As fresh as the settings require. */
  tree(context: CallContext): Promise<IndexedTree>
  /** From the last scan; undefined if there was none. */
  openTree(): Promise<IndexedTree | undefined>
  close(): Promise<void>
}

type MapDeps = Pick<
  Services,
  | "clock"
  | "config"
  | "environment"
  | "location"
  | "log"
  | "places"
  | "secrets"
  | "store"
  | "tokens"
>

type OpenedMap = {
  readonly index: TreeIndex
  /** Opens stored trees and file texts; needs no git. */
  readonly reading: TreeSource
  source(signal: AbortSignal): Promise<TreeSource>
  close(): Promise<void>
}

export function createRepositoryMap(deps: MapDeps): RepositoryMap {
  let opening: Promise<OpenedMap> | undefined
  const renewed = createCurrent()
  const closing = new AbortController()
  const { inTurn, settled } = oneAfterTheOther()
  const opened = () => {
    opening ??= open(deps)
    return opening
  }

  async function scan(mode: ScanMode, { signal, onProgress }: CallContext): Promise<ScannedTree> {
    const { index, source } = await opened()
    const until = AbortSignal.any([signal, closing.signal])
    const scanned = await index.scan(await source(until), {
      mode,
      signal: until,
      ...(onProgress !== undefined && {
        onProgress: (done, total) => onProgress({ what: "reading files", done, total }),
      }),
    })
    return { ...scanned, tree: renewed(scanned.tree) }
  }

  /**
   * Asks the store each time, because another process may have scanned; prepared data is reused.
   */
  async function newest(): Promise<IndexedTree | undefined> {
    const { index, reading } = await opened()
    const stored = await index.open(reading)
    return stored === undefined ? undefined : renewed(stored)
  }

  return {
    scan: (mode, context) => inTurn(() => scan(mode, context)),
    tree: (context) =>
      inTurn(async () => {
        const stored = await newest()
        const { scanInterval, scanMode } = deps.config().map
        const isFresh = (it: IndexedTree) =>
          // With an interval of 0 only the user scans.
          scanInterval === 0 || deps.clock.now() - it.scannedAtMs < scanInterval * 1_000
        if (stored !== undefined && isFresh(stored)) return stored
        return (await scan(stored === undefined ? "incremental" : scanMode, context)).tree
      }),
    openTree: () => inTurn(newest),
    async close() {
      // Files read so far stay stored.
      closing.abort()
      await settled()
      const made = await opening?.catch(() => undefined)
      await made?.close()
    },
  }
}

/** Data prepared for the previous tree stays valid while the tree is the same. */
function createCurrent(): (tree: IndexedTree) => IndexedTree {
  let current: IndexedTree | undefined
  return (tree) => {
    const before = current
    if (before?.revision !== tree.revision) current = tree
    // Callers cache by object identity: create another object only if tree or scan time differ.
    else if (before.scannedAtMs !== tree.scannedAtMs) {
      current = { ...before, scannedAtMs: tree.scannedAtMs }
    }
    return current ?? tree
  }
}

/** Two scans at once would read every file twice. */
function oneAfterTheOther() {
  let last: Promise<unknown> = Promise.resolve()
  return {
    inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
      const mine = last.then(work)
      last = mine.catch(() => {})
      return mine
    },
    settled: () => last,
  }
}

/** Loads rooms and grammars, which most commands do not need. */
async function open(deps: MapDeps): Promise<OpenedMap> {
  const { createMap, createTreeIndex, workingTree } = await import("#know/map")
  const { openGit } = await import("#see/repo")
  const map = createMap()
  const store = await deps.store()
  const { repository } = deps.places()
  const index = createTreeIndex({
    db: store.forRoom("map"),
    map,
    counter: () => deps.tokens.counter(),
    async redact() {
      const [{ redactKeepingLines }, { redact }] = await Promise.all([
        import("#ground/secrets"),
        deps.secrets(),
      ])
      return (text) => redactKeepingLines(text, redact)
    },
    clock: deps.clock,
    log: deps.log,
  })
  // In a team's store another machine may have a tree at the same path.
  const machine = deps.location().kind === "postgres" ? { place: hostname() } : {}
  const sourceWith = (git: Git | { readonly problem: string }) =>
    workingTree({ repository, git, clock: deps.clock, ...machine })
  return {
    index,
    reading: sourceWith({ problem: "the history is read by a scan" }),
    async source(signal) {
      const opened = await openGit({ repository, environment: deps.environment(), signal })
      return sourceWith(opened.kind === "ready" ? opened.git : { problem: opened.reason })
    },
    async close() {
      await map[Symbol.asyncDispose]()
    },
  }
}
