import type { CallContext, ScanMode } from "#ground/contract"
import type { IndexedTree, Scanned, TreeIndex, TreeSource } from "#know/map"
import { loadSecrets } from "./known-secrets.ts"
import type { OperationDeps } from "./operations.ts"

/** The map of this repository: scanned when somebody asks, never by itself. */
export type Mapping = {
  scan(mode: ScanMode, context: CallContext): Promise<Scanned>
  /** As fresh as the config wants it; scanned now if need be. */
  tree(context: CallContext): Promise<IndexedTree>
  /** As the last scan left it; undefined when there was none. */
  openTree(): Promise<IndexedTree | undefined>
  close(): Promise<void>
}

type Deps = Pick<
  OperationDeps,
  "places" | "environment" | "config" | "store" | "tokens" | "clock" | "random" | "log"
>

type Opened = {
  readonly index: TreeIndex
  source(signal: AbortSignal): Promise<TreeSource>
  close(): Promise<void>
}

export function createMapping(deps: Deps): Mapping {
  let opening: Promise<Opened> | undefined
  let current: IndexedTree | undefined
  const { inTurn, settled } = oneAfterTheOther()
  const opened = () => {
    opening ??= open(deps)
    return opening
  }

  async function scan(mode: ScanMode, { signal, onProgress }: CallContext): Promise<Scanned> {
    const { index, source } = await opened()
    const scanned = await index.scan(await source(signal), {
      mode,
      signal,
      ...(onProgress !== undefined && {
        onProgress: (done, total) => onProgress({ what: "reading files", done, total }),
      }),
    })
    current = scanned.tree
    return scanned
  }

  async function openTree(): Promise<IndexedTree | undefined> {
    if (current !== undefined) return current
    const { index, source } = await opened()
    current = await index.open(await source(new AbortController().signal))
    return current
  }

  return {
    scan: (mode, context) => inTurn(() => scan(mode, context)),
    tree: (context) =>
      inTurn(async () => {
        const known = await openTree()
        const { scanInterval, scanMode } = deps.config().map
        if (known !== undefined && isFresh(known, { scanInterval, nowMs: deps.clock.now() })) {
          return known
        }
        return (await scan(known === undefined ? "incremental" : scanMode, context)).tree
      }),
    openTree,
    async close() {
      await settled()
      const made = await opening?.catch(() => undefined)
      await made?.close()
    },
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

/** An interval of 0 leaves every look to the person. */
function isFresh(
  { scannedAtMs }: IndexedTree,
  it: { readonly scanInterval: number; readonly nowMs: number },
): boolean {
  return it.scanInterval === 0 || it.nowMs - scannedAtMs < it.scanInterval * 1_000
}

/** Rooms and grammars are loaded only here: most commands need none of them. */
async function open(deps: Deps): Promise<Opened> {
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
        loadSecrets(repository.root, deps),
      ])
      return (text) => redactKeepingLines(text, redact)
    },
    clock: deps.clock,
    log: deps.log,
  })
  return {
    index,
    async source(signal) {
      const opened = await openGit({ repository, environment: deps.environment(), signal })
      const git = opened.kind === "ready" ? opened.git : { problem: opened.reason }
      return workingTree({ repository, git, clock: deps.clock })
    },
    async close() {
      await map[Symbol.asyncDispose]()
    },
  }
}
