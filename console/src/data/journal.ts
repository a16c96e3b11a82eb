import type { Cursor, EventsPage, JournalEntry } from "../contract.ts"

/** The part of the journal that is in memory, oldest first, without gaps between its ends. */
export type Journal = {
  readonly entries: readonly JournalEntry[]
  readonly head: Cursor
  readonly isWhole: boolean
}

/** One request; the contract allows 1,000. */
export const PAGE_EVENTS = 500
/** In memory at most: about 10 MB of bodies; older ones are a request away. */
export const MOST_EVENTS = 20_000

/** Whole when the page had room for more, or when it begins with the very first: a full page may. */
export function journalOf({ entries, head }: EventsPage, limit: number): Journal {
  return { entries, head, isWhole: entries.length < limit || entries[0]?.seq === 1 }
}

/** What arrived live goes to the end; what is already there is not there twice. */
export function appendLive(
  journal: Journal,
  fresh: readonly JournalEntry[],
  prefix: string,
): Journal {
  const newest = fresh.at(-1)
  // Another epoch is another history: the restore makes everything stale, and the answer brings it.
  if (newest === undefined || newest.epoch !== journal.head.epoch) return journal
  const lastSeq = journal.entries.at(-1)?.seq ?? 0
  const added = fresh.filter((it) => it.seq > lastSeq && it.name.startsWith(prefix))
  const all = [...journal.entries, ...added]
  const kept = all.slice(-MOST_EVENTS)
  return {
    entries: kept,
    head: { epoch: newest.epoch, seq: Math.max(journal.head.seq, newest.seq) },
    isWhole: journal.isWhole && kept.length === all.length,
  }
}

/** Where to ask from, so that the page ends just before what is in memory. */
export function olderThan(journal: Journal): { after: number; before: number } | null {
  const first = journal.entries[0]
  const before = first?.seq ?? journal.head.seq + 1
  if (journal.isWhole || before <= 1) return null
  return { after: Math.max(0, before - 1 - PAGE_EVENTS), before }
}

/** Older entries go to the front; those that overlap are dropped. */
export function prependOlder(
  journal: Journal,
  page: EventsPage,
  asked: { after: number; before: number },
): Journal {
  const older = page.entries.filter((it) => it.seq < asked.before)
  const isWhole = asked.after === 0
  return { ...journal, entries: [...older, ...journal.entries], isWhole }
}

/** Every word must occur, in the name or in the body. */
export function matchesText(entry: JournalEntry, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const haystack = `${entry.name} ${JSON.stringify(entry.body)}`.toLowerCase()
  return words.every((word) => haystack.includes(word))
}
