import { once } from "node:events"
import type { Socket } from "socket.io"
import type { Clock, Log } from "#ground/base"
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
  readonly clock: Clock
  readonly log: Log
}): Stream {
  const { socket, journal } = deps
  let cursor = deps.from
  let isOpen = true

  async function pump(): Promise<void> {
    if (!isOpen) return
    const end = await sendAll()
    if (end !== "up-to-date") giveUp(end)
  }
  /** Everything after the cursor, page by page, or why the client cannot follow. */
  async function sendAll(): Promise<"up-to-date" | "other-history" | "stalled"> {
    for (;;) {
      const page = await journal.read({ after: cursor, limit: LIVE_PAGE_EVENTS })
      // The store was restored under a running server: the client must fetch afresh.
      if (page.kind !== "entries") return "other-history"
      if (!isOpen || page.entries.length === 0) return "up-to-date"
      const events: LiveEvents = { entries: page.entries, head: page.head }
      socket.emit("events", events)
      if (!(await waitForDrain(socket, deps.clock))) return "stalled"
      cursor = page.next
    }
  }
  function giveUp(reason: "other-history" | "stalled"): void {
    if (!isOpen) return
    isOpen = false
    cut(socket, { cursor, reason })
    // No word reaches who does not read: a farewell would wait in the socket for half a minute.
    if (reason === "stalled") socket.request.socket.destroy()
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
export function keepRunning(pump: () => Promise<void>, failed: (error: unknown) => void) {
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
  socket.emit("cut", why)
  socket.disconnect(true)
}

/** Whether the client took what was written, before it counts as stalled. */
export async function waitForDrain({ conn }: Socket, clock: Clock): Promise<boolean> {
  // Written already: the transport is ready for the next.
  if (conn.transport.writable) return true
  const over = new AbortController()
  const { signal } = over
  try {
    // `ready` comes when the kernel has the bytes, so a client that does not read holds us here.
    return await Promise.race([
      once(conn.transport, "ready", { signal }).then(() => true),
      once(conn, "close", { signal }).then(() => true),
      clock.sleep(LIVE_STALLED_MS, signal).then(() => false),
    ])
  } catch {
    return false
  } finally {
    over.abort()
  }
}
