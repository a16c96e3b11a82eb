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
  let isPumping = false
  let isWoken = false
  let isOpen = true

  async function pump(): Promise<void> {
    while (isOpen && isWoken) {
      isWoken = false
      const isUpToDate = await sendAll()
      if (!isUpToDate) return giveUp()
    }
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
  function wake(): void {
    isWoken = true
    if (isPumping || !isOpen) return
    isPumping = true
    void pump()
      .catch((error: unknown) => {
        deps.log.error("live stream failed", { error })
        socket.disconnect(true)
      })
      .finally(() => {
        isPumping = false
        if (isWoken) wake()
      })
  }
  return {
    wake,
    stop() {
      isOpen = false
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
