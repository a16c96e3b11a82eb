import { crc32 } from "node:zlib"
import { z } from "zod"
import { type Clock, createIds, invariant, type Random } from "#ground/base"
import {
  type Cursor,
  type Emit,
  EVENTS,
  type EventRoom,
  JournalEntry,
  liftEntry,
} from "#ground/contract"
import { type Driver, parseRows, type Statements } from "./driver.ts"
import { EventTooLarge, StoreCorrupt } from "./errors.ts"
import { MAX_JOURNAL_PAGE } from "./limits.ts"
import {
  advanceHead,
  HeadRow,
  insertEntry,
  JournalRow,
  selectEntries,
  selectHead,
  selectNewest,
} from "./queries.ts"

/** An event names what happened; content belongs in rows and files. */
export const MAX_EVENT_BYTES = 1_000_000

export type JournalPage =
  | { kind: "entries"; entries: readonly JournalEntry[]; next: Cursor; head: Cursor }
  | { kind: "foreign-cursor"; head: Cursor }
  | { kind: "future-cursor"; head: Cursor }

export type JournalQuestion = {
  readonly after: Cursor | undefined
  readonly limit: number
  readonly namePrefix?: string | undefined
}

export type Journal = ReturnType<typeof createJournal>

export function createJournal(all: Driver["all"]) {
  const readHead = async () => trustHead(await all(selectHead()))

  return {
    async head(): Promise<Cursor> {
      const { epoch, seq } = await readHead()
      return { epoch, seq }
    },

    async read(question: JournalQuestion): Promise<JournalPage> {
      const { epoch, seq, salt } = await readHead()
      const head = { epoch, seq }
      const after = question.after ?? { epoch, seq: 0 }
      if (after.epoch !== epoch) return { kind: "foreign-cursor", head }
      if (after.seq > seq) return { kind: "future-cursor", head }

      const limit = Math.min(question.limit, MAX_JOURNAL_PAGE)
      const { namePrefix = "" } = question
      const range = { after: after.seq, upTo: seq, limit, namePrefix }
      const rows = parseRows(JournalRow, await all(selectEntries(range)))
      if (namePrefix === "") refuseGap(rows, range)
      const entries = rows.map((row) => readEntry(row, { epoch, salt }))
      // A page that is not full has reached the head, also past entries that the filter left out.
      const reached = rows.length < limit ? seq : (rows.at(-1)?.seq ?? after.seq)
      return { kind: "entries", entries, next: { epoch, seq: reached }, head }
    },

    async readNewest(question: Omit<JournalQuestion, "after">) {
      const { epoch, seq, salt } = await readHead()
      const limit = Math.min(question.limit, MAX_JOURNAL_PAGE)
      const range = { upTo: seq, limit, namePrefix: question.namePrefix ?? "" }
      const rows = parseRows(JournalRow, await all(selectNewest(range))).toReversed()
      const first = rows[0]?.seq ?? seq + 1
      if (range.namePrefix === "") refuseGap(rows, { after: first - 1, upTo: seq, limit })
      return { entries: rows.map((row) => readEntry(row, { epoch, salt })), head: { epoch, seq } }
    },
  }
}

export type JournalWriter = ReturnType<typeof createJournalWriter>

export function createJournalWriter(deps: { clock: Clock; random: Random }) {
  const ids = createIds(deps)

  return {
    collect<Room extends EventRoom>(room: Room | undefined) {
      const collected: PendingEvent[] = []
      let isWritten = false
      const emit: Emit<Room> = (name, body) => {
        invariant(!isWritten, "an event is emitted before its transaction ends")
        invariant(room !== undefined && name.startsWith(`${room}.`), `${name} is the room's own`)
        collected.push(serialise(name, body))
      }
      return {
        emit,
        async write(statements: Statements): Promise<readonly JournalEntry[]> {
          isWritten = true
          if (collected.length === 0) return []
          const stamped = collected.map((it) => ({
            ...it,
            id: ids.next("ev"),
            at: deps.clock.now(),
          }))
          return append(statements, stamped)
        },
      }
    },
  }
}

type PendingEvent = { name: string; version: number; text: string }
type StampedEvent = PendingEvent & { id: string; at: number }

const definitions = new Map<string, (typeof EVENTS)[number]>(EVENTS.map((it) => [it.name, it]))

function serialise(name: string, body: unknown): PendingEvent {
  const definition = definitions.get(name)
  invariant(definition !== undefined, `${name} is in the list of events`)
  const text = JSON.stringify(definition.body.parse(body))
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > MAX_EVENT_BYTES)
    throw EventTooLarge({ name, sizeBytes, maxBytes: MAX_EVENT_BYTES })
  return { name, version: definition.version, text }
}

/**
 * The head moves in the transaction of the change: a rollback leaves no gap, and numbers follow the
 * order of commits, not the wall clock.
 */
async function append(
  statements: Statements,
  events: readonly StampedEvent[],
): Promise<readonly JournalEntry[]> {
  const [head] = parseRows(HeadRow, await statements.all(advanceHead(events.length)))
  if (head === undefined) throw StoreCorrupt({ what: "the head of the journal is missing" })
  const { epoch, salt } = head
  const entries: JournalEntry[] = []
  for (const [index, { text, ...event }] of events.entries()) {
    const row = { ...event, seq: head.seq - events.length + 1 + index, body: text }
    await statements.run(insertEntry({ ...row, crc: checksum(row, salt) }))
    entries.push({ ...row, epoch, body: Body.parse(JSON.parse(text)) })
  }
  return entries
}

/** Head and last entry are written in one transaction; they differ only after damage. */
function trustHead(rows: Awaited<ReturnType<Driver["all"]>>): z.output<typeof HeadRow> {
  const [head] = parseRows(HeadRow, rows)
  if (head === undefined) throw StoreCorrupt({ what: "the head of the journal is missing" })
  if (head.last !== head.seq) {
    throw StoreCorrupt({ what: `the journal ends at ${head.last}, but its head is ${head.seq}` })
  }
  return head
}

function refuseGap(
  rows: readonly { seq: number }[],
  range: { after: number; upTo: number; limit: number },
): void {
  const expected = Math.min(range.limit, range.upTo - range.after)
  const isWhole =
    rows.length === expected && rows.every((it, at) => it.seq === range.after + 1 + at)
  if (isWhole) return
  throw StoreCorrupt({ what: `journal entries after ${range.after} are missing` })
}

const Body = z.record(z.string(), z.unknown())

function readEntry(row: JournalRow, head: { epoch: string; salt: string }): JournalEntry {
  if (row.crc !== checksum(row, head.salt)) {
    throw StoreCorrupt({ what: `journal entry ${row.seq} does not match its checksum` })
  }
  const { crc: _, ...entry } = row
  const body: unknown = JSON.parse(row.body)
  return liftEntry(JournalEntry.parse({ ...entry, epoch: head.epoch, body }))
}

/**
 * Covers all columns and is salted per store, so a page of another store's file fails the check. It
 * detects damage, not manipulation.
 */
function checksum(row: Omit<JournalRow, "crc">, salt: string): number {
  const { seq, id, at, name, version, body } = row
  return crc32(JSON.stringify([salt, seq, id, at, name, version, body]))
}

export function newEpoch(random: Random): string {
  return Buffer.from(random.bytes(12)).toString("base64url")
}

export function newSalt(random: Random): string {
  return Buffer.from(random.bytes(12)).toString("base64url")
}
