import { type FSWatcher, lstatSync, mkdirSync, rmSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The system reports a change within a millisecond; a busy machine takes longer. */
const LONGEST_SETTLE_MS = 50

export type FolderWatch = Disposable & {
  /**
   * Replaces the set of watched folders. False when the system has too few watches: the caller must
   * poll the rest.
   */
  set(folders: readonly string[]): boolean
  /**
   * Resolves once every change made before the call was reported. False if that cannot be known:
   * only Linux reports the changes of all folders in their order.
   */
  settle(): Promise<boolean>
}

/**
 * Reports that something changed in a folder, not what: names from the system arrive late, twice or
 * not at all.
 */
export function createFolderWatch(options: {
  readonly root: string
  readonly onChange: () => void
  /** A folder for `settle`, created and removed by the watch; without one `settle` gives false. */
  readonly markFolder?: string
}): FolderWatch {
  // macOS and Windows watch a whole tree; on Linux Node would watch each file of it.
  const isRecursive = process.platform === "darwin" || process.platform === "win32"
  const watched = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>()

  function drop(folder: string): void {
    watched.get(folder)?.watcher.close()
    watched.delete(folder)
  }

  function add(folder: string): boolean {
    const identity = identityOf(folder)
    if (identity !== undefined && watched.get(folder)?.identity === identity) return true
    drop(folder)
    if (identity === undefined) return false
    try {
      const watcher = watch(folder, { persistent: false, recursive: isRecursive }, options.onChange)
      watched.set(folder, { watcher, identity })
      watcher.on("error", () => {
        drop(folder)
        options.onChange()
      })
      return identityOf(folder) === identity
    } catch {
      return false
    }
  }

  const mark = process.platform === "linux" ? createMark(options.markFolder) : undefined

  return {
    settle: async () => (await mark?.settle()) ?? false,
    set(folders) {
      const targets = new Set(isRecursive ? [options.root] : folders)
      for (const folder of watched.keys()) if (!targets.has(folder)) drop(folder)
      return [...targets].map(add).every(Boolean)
    },
    [Symbol.dispose]() {
      for (const folder of watched.keys()) drop(folder)
      mark?.[Symbol.dispose]()
    },
  }
}

/** A watch follows a renamed folder, and ends with a deleted one; the path may have another now. */
function identityOf(folder: string): string | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  return stat === undefined ? undefined : `${stat.dev} ${stat.ino} ${stat.birthtimeMs}`
}

/** All watches of a process share one queue: once a new change is reported, all earlier ones were. */
function createMark(folder: string | undefined) {
  if (folder === undefined) return undefined
  const file = join(folder, "mark")
  let watcher: FSWatcher | undefined
  let onReport: () => void = () => {}
  let writes = 0
  const start = (): FSWatcher => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const started = watch(folder, { persistent: false }, (_, name) => {
      if (name === `mark${writes}`) onReport()
    })
    started.on("error", () => (watcher = undefined))
    return started
  }
  return {
    /** One call at a time. */
    async settle(): Promise<boolean> {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => resolve(false), LONGEST_SETTLE_MS)
      try {
        watcher ??= start()
        onReport = () => resolve(true)
        // A name of its own, because a late report of an earlier mark proves nothing.
        writeFileSync(`${file}${++writes}`, "")
        const isReported = await promise
        rmSync(`${file}${writes}`, { force: true })
        return isReported
      } catch {
        return false
      } finally {
        clearTimeout(timer)
      }
    },
    [Symbol.dispose]() {
      watcher?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
