import { z } from "zod"
import type { Clock, Log } from "#ground/base"
import { Cursor, type JournalEntry } from "#ground/contract"
import type { Journal, JournalPage } from "#ground/store"
import { cut, keepRunning, type LiveClient, waitForDrain } from "./delivery.ts"

export const LIVE_PAGE_EVENTS = 500

/** Clients that just follow are at one cursor; others catch up, each with pages of its own. */
const MOST_SHARED_PAGES = 8

export type SharedPages = ReturnType<typeof createSharedPages>

/**
 * One read serves all clients at the same cursor. `forget` must be called when the journal advances,
 * before clients are woken: their next read must include what they were woken for.
 */
export function createSharedPages(journal: Pick<Journal, "read">) {
  const pages = new Map<string, Promise<JournalPage>>()
  return {
    read(after: Cursor): Promise<JournalPage> {
      const key = `${after.epoch} ${after.seq}`
      const shared = pages.get(key)
      if (shared !== undefined) return shared
      const page = journal.read({ after, limit: LIVE_PAGE_EVENTS })
      if (pages.size >= MOST_SHARED_PAGES) pages.clear()
      pages.set(key, page)
      page.catch(() => pages.get(key) === page && pages.delete(key))
      return page
    },
    forget: (): void => pages.clear(),
  }
}

type LiveEvents = { readonly entries: readonly JournalEntry[]; readonly head: Cursor }

export type JournalStream = { wake(): void; stop(): void }

/** One client's cursor in the journal. Only one page is in flight at a time. */
export function createJournalStream(deps: {
  readonly client: LiveClient
  readonly pages: SharedPages
  readonly from: Cursor
  readonly clock: Clock
  readonly log: Log
}): JournalStream {
  const { client, pages } = deps
  const { socket } = client
  let cursor = deps.from
  let isOpen = true

  async function pump(): Promise<void> {
    if (!isOpen) return
    const end = await sendAll()
    if (end !== "up-to-date") giveUp(end)
  }
  /** Sends everything after the cursor, page by page. */
  async function sendAll(): Promise<"up-to-date" | "other-history" | "stalled"> {
    for (;;) {
      const page = await pages.read(cursor)
      // The store was restored under a running server: the client must reload.
      if (page.kind !== "entries") return "other-history"
      if (!isOpen || page.entries.length === 0) return "up-to-date"
      const events: LiveEvents = { entries: page.entries, head: page.head }
      socket.emit("events", events)
      if (!(await waitForDrain(socket, deps.clock))) return "stalled"
      cursor = page.next
      // A later commit wakes the stream again.
      if (cursor.seq >= page.head.seq) return "up-to-date"
    }
  }
  function giveUp(reason: "other-history" | "stalled"): void {
    if (!isOpen) return
    isOpen = false
    cut(socket, { cursor, reason })
    if (reason === "stalled") client.destroy()
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

const JournalSubscription = z.object({ after: Cursor.nullable() })

/**
 * `resync`: the cursor belongs to another history; reload, then subscribe again.
 */
export type JournalReply =
  | { kind: "subscribed"; head: Cursor }
  | { kind: "resync"; head: Cursor; reason: "foreign-cursor" | "future-cursor" }
  | { kind: "refused"; reason: string }

/** `from` is undefined if the subscription is refused. */
export async function locateInJournal(
  input: unknown,
  journal: Journal,
): Promise<{ reply: JournalReply; from: Cursor | undefined }> {
  const subscription = JournalSubscription.safeParse(input)
  if (!subscription.success) {
    return { reply: { kind: "refused", reason: "the cursor is malformed" }, from: undefined }
  }
  const { after } = subscription.data
  const page = after === null ? undefined : await journal.read({ after, limit: 1 })
  const head = page?.head ?? (await journal.head())
  if (page?.kind === "foreign-cursor" || page?.kind === "future-cursor") {
    return { reply: { kind: "resync", head, reason: page.kind }, from: head }
  }
  return { reply: { kind: "subscribed", head }, from: after ?? head }
}
