import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { EventsPage, JournalEntry } from "../../contract.ts"
import { withSeed } from "../../test-seed.ts"
import {
  appendLive,
  type Journal,
  journalOf,
  MOST_EVENTS,
  matchesText,
  olderThan,
  PAGE_EVENTS,
  prependOlder,
} from "./journal.ts"

const entry = (seq: number, name = "store.backed-up"): JournalEntry => ({
  epoch: "e1",
  seq,
  id: `ev_${seq}`,
  at: seq,
  name,
  version: 1,
  body: { file: `Backup-${seq}.db` },
})
const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => entry(from + i))

function page(total: number, after: number | undefined, limit: number): EventsPage {
  const all = range(1, total)
  const entries =
    after === undefined ? all.slice(-limit) : all.filter((it) => it.seq > after).slice(0, limit)
  return { entries, next: 0, head: { epoch: "e1", seq: total } }
}

describe("journal in memory", () => {
  it("[CONSOLE-6] loading older pages up to the start gives the whole journal, each event once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_000 }), (total) => {
        let journal: Journal = journalOf(page(total, undefined, PAGE_EVENTS), PAGE_EVENTS)
        for (let asked = olderThan(journal); asked !== null; asked = olderThan(journal)) {
          journal = prependOlder(journal, page(total, asked.after, PAGE_EVENTS), asked)
        }
        expect(journal.entries.map((it) => it.seq)).toEqual(range(1, total).map((it) => it.seq))
        expect(journal.isWhole).toBe(true)
      }),
      { ...withSeed<[number]>(), numRuns: 40 },
    )
  })

  it.each([
    [PAGE_EVENTS - 1, true],
    [PAGE_EVENTS, true],
    [PAGE_EVENTS + 1, false],
  ])("[CONSOLE-6] with %i events the first page is the whole journal: %s", (total, isWhole) => {
    const journal = journalOf(page(total, undefined, PAGE_EVENTS), PAGE_EVENTS)
    expect(journal.isWhole).toBe(isWhole)
    expect(olderThan(journal) === null).toBe(isWhole)
  })

  it("[CONSOLE-6] an event of another epoch is not appended", () => {
    const journal = { entries: range(1, 3), head: { epoch: "e1", seq: 3 }, isWhole: true }
    expect(appendLive(journal, [{ ...entry(4), epoch: "e2" }], "")).toEqual(journal)
    expect(appendLive(journal, range(2, 4), "").entries.map((it) => it.seq)).toEqual([1, 2, 3, 4])
  })

  it("[CONSOLE-6] at most MOST_EVENTS events are held, and the oldest are dropped first", () => {
    const journal = { entries: range(1, MOST_EVENTS), head: { epoch: "e1", seq: 1 }, isWhole: true }
    const grown = appendLive(journal, [entry(MOST_EVENTS + 1)], "")
    expect(grown.entries).toHaveLength(MOST_EVENTS)
    expect(grown.entries[0]?.seq).toBe(2)
    expect(grown.isWhole).toBe(false)
  })

  it.each([
    ["", true],
    ["backed backup-7", true],
    ["BACKUP", true],
    ["store. nothing", false],
  ])("[CONSOLE-6] the text filter %j matches a backup event: %s", (text, expected) => {
    expect(matchesText(entry(7), text)).toBe(expected)
  })
})
