import { once } from "node:events"
import type { Socket } from "socket.io"
import type { Log } from "#ground/base"
import type { Cursor, JournalEntry } from "#ground/contract"
import type { Journal } from "#ground/store"
import { LIVE_PAGE_EVENTS, LIVE_STALLED_MS } from "./limits.ts"

export type LiveEvents = { readonly entries: readonly JournalEntry[]; readonly head: Cursor }

export type Stream = { wake(): void; stop(): void }

/** One client's place in the journal. Only one page is on its way at a time. */
export function createStream(deps: {
  readonly socket: Socket
  readonly journal: Journal
  readonly from: Cursor
  readonly log: Log
}): Stream {
  const { socket, journal } = deps
  let cursor = deps.from
  let isOpen = true

  async function pump(): Promise<void> {
    if (!isOpen) return
    const isUpToDate = await sendAll()
    if (!isUpToDate) giveUp()
  }
  /** Everything after the cursor, page by page; false when the client cannot follow. */
  async function sendAll(): Promise<boolean> {
    for (;;) {
      const page = await journal.read({ after: cursor, limit: LIVE_PAGE_EVENTS })
      // The store was restored under a running server: the client must fetch afresh.
      if (page.kind !== "entries") return false
      if (!isOpen || page.entries.length === 0) return true
      const events: LiveEvents = { entries: page.entries, head: page.head }
      socket.emit("events", events)
      if (!(await isTaken(socket))) return false
      cursor = page.next
    }
  }
  function giveUp(): void {
    if (!isOpen) return
    isOpen = false
    cut(socket, { cursor, reason: "too slow, or of another history" })
  }
  return {
    ...keepRunning(pump, (error) => {
      deps.log.error("live stream failed", { error })
      socket.disconnect(true)
    }),
    stop() {
      isOpen = false
    },
  }
}

/** Runs the pump when woken, never twice at once, and again when woken meanwhile. */
function keepRunning(pump: () => Promise<void>, failed: (error: unknown) => void) {
  let isRunning = false
  let isWoken = false
  async function run(): Promise<void> {
    try {
      while (isWoken) {
        isWoken = false
        await pump()
      }
    } finally {
      // In the same turn as the last look at isWoken: no wake can fall in between.
      isRunning = false
    }
  }
  return {
    wake(): void {
      isWoken = true
      if (isRunning) return
      isRunning = true
      void run().catch(failed)
    },
  }
}

/** "Try again later", with the place to go on from. */
export function cut(socket: Socket, why: { cursor?: Cursor; reason: string }): void {
  socket.volatile.emit("cut", why)
  socket.disconnect(true)
}

/** Whether the client took what was written, before it counts as stalled. */
async function isTaken({ conn }: Socket): Promise<boolean> {
  // Written already: the transport is ready for the next.
  if (conn.transport.writable) return true
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), LIVE_STALLED_MS)
  try {
    // `ready` comes when the kernel has the bytes, so a client that does not read holds us here.
    await Promise.race([
      once(conn.transport, "ready", { signal: over.signal }),
      once(conn, "close", { signal: over.signal }),
    ])
    return true
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    over.abort()
  }
}
