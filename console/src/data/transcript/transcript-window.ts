import type { Message } from "../../contract.ts"

export type TranscriptWindow = {
  readonly messages: readonly Message[]
  readonly lastSeq: number
  readonly hasStart: boolean
}

/** As many as a page can fold and measure within a frame; 100,000 would be 60 MB of objects. */
export const MOST_MESSAGES = 5_000

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

export function endSeqOf({ messages }: TranscriptWindow): number {
  return messages.at(-1)?.seq ?? 0
}

export function isAtEnd(window: TranscriptWindow): boolean {
  return endSeqOf(window) >= window.lastSeq
}

export function withLastSeq(window: TranscriptWindow, lastSeq: number): TranscriptWindow {
  return lastSeq <= window.lastSeq ? window : { ...window, lastSeq }
}

/** A page that does not adjoin the first message is ignored. */
export function takeOlder(window: TranscriptWindow, page: readonly Message[]): TranscriptWindow {
  if (page.length === 0) return { ...window, hasStart: true }
  const first = firstSeqOf(window)
  const older = page.filter((it) => it.seq < first)
  const joins = older.at(-1)?.seq === first - 1
  if (!joins) return window
  const all = [...older, ...window.messages]
  return { ...window, messages: all.slice(0, MOST_MESSAGES), hasStart: all[0]?.seq === 1 }
}

/** Takes messages after the last one; duplicates and messages after a gap are dropped. */
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
  if (fresh.length === 0) return withLastSeq(window, lastSeq)
  const all = [...window.messages, ...fresh]
  const messages = all.length > MOST_MESSAGES ? all.slice(-MOST_MESSAGES) : all
  return { messages, lastSeq, hasStart: messages[0]?.seq === 1 }
}

/**
 * Live messages. If the reader follows the end, the oldest are dropped; otherwise the newest are
 * left out and fetched on demand.
 */
export function takeLive(
  window: TranscriptWindow,
  messages: readonly Message[],
  { isFollowing }: { readonly isFollowing: boolean },
): TranscriptWindow {
  const room = MOST_MESSAGES - window.messages.length
  if (isFollowing || messages.length <= room) return takeNewer(window, messages)
  const newest = messages.reduce((most, it) => Math.max(most, it.seq), 0)
  return withLastSeq(takeNewer(window, messages.slice(0, Math.max(0, room))), newest)
}
