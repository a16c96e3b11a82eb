import type { Message } from "../contract.ts"

/** An unbroken piece of a run's messages, in their order: what is held of it in memory. */
export type TranscriptWindow = {
  readonly messages: readonly Message[]
  readonly lastSeq: number
  readonly hasStart: boolean
}

/** What a page folds and measures within a frame; 100,000 would be 60 MB of objects. */
export const MOST_MESSAGES = 5_000

/** The first page that was asked for; what is known to lie behind it is not held. */
export function openWindow(page: readonly Message[], lastSeq: number): TranscriptWindow {
  const messages = page.slice(-MOST_MESSAGES)
  return {
    messages,
    lastSeq: Math.max(messages.at(-1)?.seq ?? 0, lastSeq),
    hasStart: messages.length === 0 || messages[0]?.seq === 1,
  }
}

export function firstSeqOf({ messages }: TranscriptWindow): number {
  return messages[0]?.seq ?? 1
}

/** The newest one held; 0 when nothing is. */
export function endSeqOf({ messages }: TranscriptWindow): number {
  return messages.at(-1)?.seq ?? 0
}

export function isAtEnd(window: TranscriptWindow): boolean {
  return endSeqOf(window) >= window.lastSeq
}

/** Something newer is known to be stored. */
export function knowLast(window: TranscriptWindow, lastSeq: number): TranscriptWindow {
  return lastSeq <= window.lastSeq ? window : { ...window, lastSeq }
}

/** A page from before the first one held; what does not join it is not taken. */
export function takeOlder(window: TranscriptWindow, page: readonly Message[]): TranscriptWindow {
  if (page.length === 0) return { ...window, hasStart: true }
  const first = firstSeqOf(window)
  const older = page.filter((it) => it.seq < first)
  const joins = older.at(-1)?.seq === first - 1
  if (!joins) return window
  const all = [...older, ...window.messages]
  // The reader is at the beginning, so the end gives way.
  return { ...window, messages: all.slice(0, MOST_MESSAGES), hasStart: all[0]?.seq === 1 }
}

/** A page, or what came live, behind the last one held; doubles and what lies after a gap go. */
export function takeNewer(window: TranscriptWindow, page: readonly Message[]): TranscriptWindow {
  let end = endSeqOf(window)
  let lastSeq = window.lastSeq
  const fresh: Message[] = []
  for (const message of page) {
    lastSeq = Math.max(lastSeq, message.seq)
    if (message.seq !== end + 1) continue
    fresh.push(message)
    end = message.seq
  }
  if (fresh.length === 0) return knowLast(window, lastSeq)
  const all = [...window.messages, ...fresh]
  const messages = all.length > MOST_MESSAGES ? all.slice(-MOST_MESSAGES) : all
  return { messages, lastSeq, hasStart: messages[0]?.seq === 1 }
}

/**
 * What came live. A reader who follows sees the newest and the oldest go; one who reads further up
 * keeps what is before the eyes, and the newest are fetched when they are asked for.
 */
export function takeLive(
  window: TranscriptWindow,
  messages: readonly Message[],
  { isFollowing }: { readonly isFollowing: boolean },
): TranscriptWindow {
  const room = MOST_MESSAGES - window.messages.length
  if (isFollowing || messages.length <= room) return takeNewer(window, messages)
  const newest = messages.reduce((most, it) => Math.max(most, it.seq), 0)
  return knowLast(takeNewer(window, messages.slice(0, Math.max(0, room))), newest)
}
