import { type FSWatcher, watch } from "node:fs"

export type FolderWatch = Disposable & {
  /**
   * Replaces the set of watched folders. False when the system has too few watches: the caller must
   * poll the rest.
   */
  set(folders: readonly string[]): boolean
}

/**
 * Reports that something changed in a folder, not what: names from the system arrive late, twice or
 * not at all.
 */
export function createFolderWatch(options: {
  readonly root: string
  readonly onChange: () => void
}): FolderWatch {
  // macOS and Windows watch a whole tree; on Linux Node would watch each file of it.
  const isRecursive = process.platform === "darwin" || process.platform === "win32"
  const watched = new Map<string, FSWatcher>()

  function drop(folder: string): void {
    watched.get(folder)?.close()
    watched.delete(folder)
  }

  function add(folder: string): boolean {
    if (watched.has(folder)) return true
    try {
      const watcher = watch(folder, { persistent: false, recursive: isRecursive }, options.onChange)
      watched.set(folder, watcher)
      watcher.on("error", () => {
        drop(folder)
        options.onChange()
      })
      return true
    } catch {
      return false
    }
  }

  return {
    set(folders) {
      const targets = new Set(isRecursive ? [options.root] : folders)
      for (const folder of watched.keys()) if (!targets.has(folder)) drop(folder)
      return [...targets].map(add).every(Boolean)
    },
    [Symbol.dispose]() {
      for (const folder of watched.keys()) drop(folder)
    },
  }
}
