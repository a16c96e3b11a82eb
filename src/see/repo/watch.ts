import path from "node:path"
import { type Clock, createFolderWatch } from "#ground/base"
import {
  MOST_LISTED_CHANGES,
  MOST_WATCHED_FOLDERS,
  WATCH_LONGEST_MS,
  WATCH_LOOK_ANYWAY_MS,
  WATCH_POLL_MS,
  WATCH_QUIET_MS,
} from "./limits.ts"
import type { Repository } from "./repo.ts"
import { type Walk, type WalkedFile, walkTree } from "./walk.ts"

/** What is different since the last batch, ordered by path. */
export type TreeChanges = {
  /** New, or with another size, time or inode. */
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  /** False when there are more than are listed: only a walk tells them all. */
  readonly isWhole: boolean
  readonly walk: Walk
}

/**
 * Changes of a tree since `known`, in coarse batches, until the signal. The system's word is taken
 * only for when to look; what has changed is told by walking again, so that nothing is missed that
 * the system did not say. Where it cannot watch, the walk comes round from time to time.
 */
export async function* watchTree(
  repository: Pick<Repository, "root" | "gitCommonDirectory">,
  options: { readonly known: Walk; readonly clock: Clock; readonly signal: AbortSignal },
): AsyncGenerator<TreeChanges> {
  const { clock, signal } = options
  const bell = createBell()
  using watch = createFolderWatch({ root: repository.root, onChange: bell.ring })
  let known = options.known
  let isWatched = watchFolders(watch, repository.root, known)
  // Something may have happened since `known`, before the folders were watched.
  bell.ring()
  while (!signal.aborted) {
    await bell.rung({ clock, signal, atLatestMs: isWatched ? WATCH_LOOK_ANYWAY_MS : WATCH_POLL_MS })
    await untilQuiet(bell, { clock, signal })
    if (signal.aborted) return
    const walk = await walkUnlessEnded(repository, signal)
    if (walk === undefined) return
    isWatched = watchFolders(watch, repository.root, walk)
    const foldersBefore = new Set(known.folders)
    const hasNewFolders = walk.folders.some((it) => !foldersBefore.has(it))
    const changes = changesBetween(known, walk)
    known = walk
    // What was made in a new folder before it was watched, nobody told us.
    if (hasNewFolders) bell.ring()
    if (changes.changed.length + changes.removed.length > 0) yield changes
  }
}

/** The signal ends the watching; that is no failure. */
async function walkUnlessEnded(
  repository: Pick<Repository, "root" | "gitCommonDirectory">,
  signal: AbortSignal,
): Promise<Walk | undefined> {
  try {
    return await walkTree(repository, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
    return undefined
  }
}

/** Pure: which files differ between two walks. */
export function changesBetween(before: Walk, after: Walk): TreeChanges {
  const filesBefore = new Map(before.files.map((it) => [it.path, it]))
  const pathsAfter = new Set(after.files.map((it) => it.path))
  const changed = after.files.filter((it) => !isSame(filesBefore.get(it.path), it))
  const removed = before.files.filter((it) => !pathsAfter.has(it.path))
  return {
    changed: changed.slice(0, MOST_LISTED_CHANGES).map((it) => it.path),
    removed: removed.slice(0, MOST_LISTED_CHANGES).map((it) => it.path),
    isWhole: Math.max(changed.length, removed.length) <= MOST_LISTED_CHANGES,
    walk: after,
  }
}

function isSame(before: WalkedFile | undefined, after: WalkedFile): boolean {
  return (
    before !== undefined &&
    before.stat.sizeBytes === after.stat.sizeBytes &&
    before.stat.modifiedAtMs === after.stat.modifiedAtMs &&
    before.stat.inode === after.stat.inode
  )
}

function watchFolders(
  watch: ReturnType<typeof createFolderWatch>,
  root: string,
  { folders }: Walk,
): boolean {
  const isEach = folders.length <= MOST_WATCHED_FOLDERS
  const watched = folders.slice(0, MOST_WATCHED_FOLDERS).map((it) => path.join(root, it))
  return watch.set(watched) && isEach
}

type Waiting = { readonly clock: Clock; readonly signal: AbortSignal; readonly atLatestMs: number }
type Bell = ReturnType<typeof createBell>

function createBell() {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring(): void {
      hasRung = true
      wake?.()
    },
    /** Resolves when it rings or has rung, when the time is over, or at the signal. */
    async rung({ clock, signal, atLatestMs }: Waiting): Promise<boolean> {
      const over = new AbortController()
      const rings = new Promise<void>((resolve) => {
        wake = resolve
      })
      if (hasRung) wake?.()
      const sleep = clock.sleep(atLatestMs, AbortSignal.any([signal, over.signal])).catch(() => {})
      await Promise.race([rings, sleep])
      over.abort()
      const didRing = hasRung
      hasRung = false
      return didRing
    },
  }
}

/** A checkout touches thousands of files: they make one batch, unless it never ends. */
async function untilQuiet(bell: Bell, waiting: Omit<Waiting, "atLatestMs">): Promise<void> {
  const started = waiting.clock.monotonicMs()
  const isOver = () => waiting.clock.monotonicMs() - started >= WATCH_LONGEST_MS
  while (!waiting.signal.aborted && !isOver()) {
    if (!(await bell.rung({ ...waiting, atLatestMs: WATCH_QUIET_MS }))) return
  }
}
