import type { Cursor, EventsPage, JournalEntry } from "../../contract.ts"

export type Journal = {
  readonly entries: readonly JournalEntry[]
  readonly head: Cursor
  readonly isWhole: boolean
}

/** One request; the contract allows 1,000. */
export const PAGE_EVENTS = 500
/** About 10 MB of bodies; older events can be requested. */
export const MOST_EVENTS = 20_000

/** Whole if the page is not full, or if it starts with the first event. */
export function journalOf({ entries, head }: EventsPage, limit: number): Journal {
  return { entries, head, isWhole: entries.length < limit || entries[0]?.seq === 1 }
}

export function appendLive(
  journal: Journal,
  fresh: readonly JournalEntry[],
  prefix: string,
): Journal {
  const newest = fresh.at(-1)
  // Another epoch is another history: a restore marks everything stale, and the refetch brings it.
  if (newest === undefined || newest.epoch !== journal.head.epoch) return journal
  const lastSeq = journal.entries.at(-1)?.seq ?? 0
  const added = fresh.filter((it) => it.seq > lastSeq && it.name.startsWith(prefix))
  const all = [...journal.entries, ...added]
  const entries = all.slice(-MOST_EVENTS)
  return {
    entries: entries,
    head: { epoch: newest.epoch, seq: Math.max(journal.head.seq, newest.seq) },
    isWhole: journal.isWhole && entries.length === all.length,
  }
}

export function olderThan(journal: Journal): { after: number; before: number } | null {
  const first = journal.entries[0]
  const before = first?.seq ?? journal.head.seq + 1
  if (journal.isWhole || before <= 1) return null
  return { after: Math.max(0, before - 1 - PAGE_EVENTS), before }
}

export function prependOlder(
  journal: Journal,
  page: EventsPage,
  range: { after: number; before: number },
): Journal {
  const older = page.entries.filter((it) => it.seq < range.before)
  const isWhole = range.after === 0
  return { ...journal, entries: [...older, ...journal.entries], isWhole }
}

export function matchesText(entry: JournalEntry, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const haystack = `${entry.name} ${JSON.stringify(entry.body)}`.toLowerCase()
  return words.every((word) => haystack.includes(word))
}
