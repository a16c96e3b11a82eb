import { type Clock, isAppError, type Log } from "#ground/base"
import type { Run } from "#ground/contract"
import { RunUnknown } from "../errors.ts"
import { FOLDED_AT_ONCE, REBUILT_SESSIONS } from "../limits.ts"
import { createSessionWriter } from "../sessions/session-writer.ts"
import type { Hub } from "./hub.ts"
import type { Book } from "./kept/book.ts"

type Deps = {
  readonly book: Book
  readonly hub: Hub
  readonly clock: Clock
  readonly log: Log
  readonly sessionsDirectory: string
}

/** Each run of this process is also written as a file; the store stays the truth. */
export function keepFiles({ book, hub, clock, log, sessionsDirectory }: Deps) {
  const files = createSessionWriter({
    clock,
    log,
    directory: sessionsDirectory,
    read: (runId, after) => book.messages(runId, { after, limit: FOLDED_AT_ONCE }),
    run: (runId) => findRun(book, runId),
  })
  const stop = hub.onMessages((runId) => files.advanced(runId))
  return {
    deleted: files.deleted,
    /** After a start, when nobody waits for it. */
    async rebuild(): Promise<void> {
      try {
        const runs = await book.list({ limit: REBUILT_SESSIONS, archived: false })
        await files.rebuild(runs.map((it) => it.id))
      } catch (error) {
        log.warn("session files were not looked at", { error: String(error) })
      }
    },
    async close(): Promise<void> {
      stop()
      await files.close()
    },
  }
}

async function findRun(book: Book, runId: string): Promise<Run | undefined> {
  try {
    return (await book.find(runId)).run
  } catch (error) {
    if (isAppError(error) && RunUnknown.is(error)) return undefined
    throw error
  }
}
