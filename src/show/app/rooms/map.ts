import { hostname } from "node:os"
import path from "node:path"
import { createFolderWatch } from "#ground/base"
import type { CallContext, ScanMode } from "#ground/contract"
import type { IndexedTree, ScannedTree, TreeIndex, TreeSource } from "#know/map"
import type { Repository } from "#see/repo"
import type { Services } from "../services.ts"

/** Scanned when an operation needs it, never in the background. */
export type RepositoryMap = {
  scan(mode: ScanMode, context: CallContext): Promise<ScannedTree>
  /** The tree as it is now. With `map.scanInterval` 0, as it was at the last scan. */
  tree(context: CallContext): Promise<IndexedTree>
  /** Like `tree`; undefined if the repository was never scanned. */
  knownTree(context: CallContext): Promise<IndexedTree | undefined>
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
  | "watchesTree"
>

type OpenedMap = {
  readonly index: TreeIndex
  /** Opens stored trees and file texts; needs no git. */
  readonly reading: TreeSource
  source(signal: AbortSignal): Promise<TreeSource>
  readonly watch: TreeWatch | undefined
  close(): Promise<void>
}

export function createRepositoryMap(deps: MapDeps): RepositoryMap {
  let opening: Promise<OpenedMap> | undefined
  const renewed = createCurrent()
  const closing = new AbortController()
  const { inTurn, settled } = oneAfterTheOther()
  /** Counts calls and checks: a check serves every call that came before it. */
  let order = 0
  let checkedAt = 0
  const opened = () => {
    opening ??= open(deps)
    return opening
  }

  async function scan(mode: ScanMode, { signal, onProgress }: CallContext): Promise<ScannedTree> {
    const { index, source, watch } = await opened()
    const until = AbortSignal.any([signal, closing.signal])
    const startedAt = ++order
    const scanned = await index.scan(await source(until), {
      mode,
      signal: until,
      ...(onProgress !== undefined && {
        onProgress: (done, total) => onProgress({ what: "reading files", done, total }),
      }),
    })
    checkedAt = startedAt
    const tree = renewed(scanned.tree)
    watch?.scanned(tree)
    return { ...scanned, tree }
  }

  /**
   * Asks the store each time, because another process may have scanned; prepared data is reused.
   */
  async function newest(): Promise<IndexedTree | undefined> {
    const { index, reading } = await opened()
    const stored = await index.open(reading)
    return stored === undefined ? undefined : renewed(stored)
  }

  /** True only if a scan would give this tree. */
  async function isCurrent(tree: IndexedTree, signal: AbortSignal): Promise<boolean> {
    const { index, reading, watch } = await opened()
    const startedAt = ++order
    const isSame =
      watch === undefined
        ? await index.isCurrent(reading, { signal })
        : await watch.check(tree, (depth) => index.isCurrent(reading, { signal, depth }))
    if (isSame) checkedAt = startedAt
    return isSame
  }

  async function asItIsNow(
    stored: IndexedTree | undefined,
    arrivedAt: number,
    context: CallContext,
  ) {
    if (stored === undefined) return (await scan("incremental", context)).tree
    const { scanInterval, scanMode } = deps.config().map
    // With an interval of 0 only the user scans.
    if (scanInterval === 0 || checkedAt > arrivedAt) return stored
    const isOld = deps.clock.now() - stored.scannedAtMs >= scanInterval * 1_000
    if (isOld) return (await scan(scanMode, context)).tree
    if (await isCurrent(stored, context.signal)) return stored
    return (await scan("incremental", context)).tree
  }

  return {
    scan: (mode, context) => inTurn(() => scan(mode, context)),
    tree(context) {
      const arrivedAt = ++order
      return inTurn(async () => asItIsNow(await newest(), arrivedAt, context))
    },
    knownTree(context) {
      const arrivedAt = ++order
      return inTurn(async () => {
        const stored = await newest()
        return stored === undefined ? undefined : asItIsNow(stored, arrivedAt, context)
      })
    },
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

type TreeWatch = ReturnType<typeof createTreeWatch>

/**
 * In a process that stays, the system reports changes, and most checks need not look at the files.
 * A report is trusted once a whole check has passed while every folder of the tree was watched.
 */
function createTreeWatch({ repository }: { readonly repository: Repository }) {
  let isChanged = true
  let isTrusted = false
  /** The folders of this revision are watched. */
  let revision: number | undefined
  let isEveryFolderWatched = false
  const folderWatch = createFolderWatch({
    root: repository.root,
    onChange: () => (isChanged = true),
    markFolder: path.join(repository.stateDirectory, "watch", String(process.pid)),
  })
  return {
    folders(paths: readonly string[]): void {
      isTrusted = false
      const folders = paths.map((it) => path.join(repository.root, it))
      isEveryFolderWatched = folderWatch.set(folders)
    },
    scanned: (tree: IndexedTree): void => void (revision = tree.revision),
    async check(
      tree: IndexedTree,
      isCurrent: (depth: "git" | "all") => Promise<boolean>,
    ): Promise<boolean> {
      // Without a walk of this process its folders are not known.
      if (tree.revision !== revision) return false
      if (!isEveryFolderWatched) return isCurrent("all")
      const isQuiet = (await folderWatch.settle()) && isTrusted && !isChanged
      if (isQuiet) return isCurrent("git")
      isChanged = false
      const isSame = await isCurrent("all")
      isTrusted = isSame && (await folderWatch.settle()) && !isChanged
      return isSame
    },
    [Symbol.dispose]: () => folderWatch[Symbol.dispose](),
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
  const { formatOf, headCommit, openGit } = await import("#see/repo")
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
    prepareRedaction: async (value) => (await deps.secrets()).prepare(value),
    clock: deps.clock,
    log: deps.log,
  })
  // In a team's store another machine may have a tree at the same path.
  const machine = deps.location().kind === "postgres" ? { place: hostname() } : {}
  const watch = deps.watchesTree ? createTreeWatch({ repository }) : undefined
  const sourceWith = (options: Pick<Parameters<typeof workingTree>[0], "format" | "git">) =>
    workingTree({
      ...options,
      repository,
      clock: deps.clock,
      ...(watch !== undefined && { onFolders: watch.folders }),
      ...machine,
    })
  return {
    index,
    watch,
    reading: sourceWith({
      format: formatOf((await headCommit(repository)) ?? ""),
      git: async () => ({ problem: "the history is read at the next scan" }),
    }),
    async source(signal) {
      return sourceWith({
        format: formatOf((await headCommit(repository)) ?? ""),
        async git() {
          const opened = await openGit({ repository, environment: deps.environment(), signal })
          return opened.kind === "ready" ? opened.git : { problem: opened.reason }
        },
      })
    },
    async close() {
      watch?.[Symbol.dispose]()
      await map[Symbol.asyncDispose]()
    },
  }
}
