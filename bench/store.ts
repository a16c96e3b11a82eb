import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { z } from "zod"
import { silentLog, systemRandom } from "#ground/base"
import { MIGRATIONS, type Migration, openStore, type Store, sql } from "#ground/store"
import {
  type Bench,
  type BenchContext,
  interleave,
  makeRow,
  type Row,
  type Samples,
} from "./frame.ts"

const WRITES_PER_ROUND = 200
const READS_PER_ROUND = 2_000
const ROUNDS = 15

export const bench: Bench = {
  name: "store",
  about: "A write with its event, fully synced, and a read, against bare node:sqlite",
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), "qm-bench-store-"))
    try {
      return await measure(folder, context)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

const notes: Migration = {
  number: MIGRATIONS.length + 1,
  name: "bench-notes",
  statements: ({ integer, text, strict }) => [
    sql`CREATE TABLE notes (id ${integer} PRIMARY KEY, body ${text} NOT NULL)${strict}`,
  ],
}

async function measure(folder: string, context: BenchContext): Promise<readonly Row[]> {
  const { clock } = context
  await using store = await openStore({
    location: { kind: "sqlite", file: join(folder, "store.db") },
    clock,
    random: systemRandom,
    log: silentLog,
    migrations: [...MIGRATIONS, notes],
  })
  using floor = openFloor(join(folder, "floor.db"))
  const timesOf = await interleave(
    [
      { name: "floor writes", run: () => floor.write(WRITES_PER_ROUND) },
      { name: "store writes", run: () => writeMany(store, WRITES_PER_ROUND) },
      { name: "floor reads", run: () => floor.read(READS_PER_ROUND) },
      { name: "store reads", run: () => readMany(store, READS_PER_ROUND) },
    ],
    { clock, rounds: context.rounds ?? ROUNDS },
  )
  return [
    makeRow({
      what: "writes with an event, synced",
      measured: aSecond(WRITES_PER_ROUND, timesOf("store writes")),
      unit: "a second",
      against: "node:sqlite, the same statements",
      floor: aSecond(WRITES_PER_ROUND, timesOf("floor writes")),
    }),
    makeRow({
      what: "reads of one row, parsed",
      measured: aSecond(READS_PER_ROUND, timesOf("store reads")),
      unit: "a second",
      against: "node:sqlite, unparsed",
      floor: aSecond(READS_PER_ROUND, timesOf("floor reads")),
    }),
  ]
}

function aSecond(count: number, times: Samples): number {
  return Math.round((count / times.median) * 1_000)
}

const Note = z.object({ id: z.int(), body: z.string() })

async function writeMany(store: Store, count: number): Promise<void> {
  const { seq } = await store.journal.head()
  const db = store.forRoom("store")
  for (let id = seq; id < seq + count; id++) {
    await db.transaction(async (tx) => {
      await tx.run(sql`INSERT INTO notes (id, body) VALUES (${id}, ${"text"})`)
      tx.emit("store.backed-up", { file: "file", sizeBytes: id })
    })
  }
}

async function readMany(store: Store, count: number): Promise<void> {
  for (let id = 1; id <= count; id++) {
    await store.db.get(Note, sql`SELECT id, body FROM notes WHERE id = ${1 + (id % 200)}`)
  }
}

/** The minimum work of the store: one transaction, the row, the head, the entry, one sync. */
function openFloor(file: string) {
  const database = new DatabaseSync(file)
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE TABLE head (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
    CREATE TABLE journal (
      seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, name TEXT NOT NULL,
      version INTEGER NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
    INSERT INTO head VALUES (1, 0);`)
  const insert = database.prepare("INSERT INTO notes (id, body) VALUES (?, ?)")
  const advance = database.prepare("UPDATE head SET seq = seq + 1 WHERE id = 1 RETURNING seq")
  const append = database.prepare("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?)")
  const select = database.prepare("SELECT id, body FROM notes WHERE id = ?")
  let written = 0

  return {
    write(count: number): void {
      for (let index = 0; index < count; index++) {
        const id = ++written
        database.exec("BEGIN IMMEDIATE")
        insert.run(id, "text")
        advance.get()
        append.run(id, `ev_${id}`, 0, "store.backed-up", 1, '{"file":"file","sizeBytes":1}', 0)
        database.exec("COMMIT")
      }
    },
    read(count: number): void {
      for (let id = 1; id <= count; id++) select.get(1 + (id % 200))
    },
    [Symbol.dispose](): void {
      database.close()
    },
  }
}
