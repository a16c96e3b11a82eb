import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import {
  ConstraintBroken,
  join,
  RowUnexpected,
  type Store,
  sql,
  TextUnstorable,
} from "#ground/store"
import { failAtEveryCall } from "#test/faulty-db"
import { fcParameters } from "#test/seed"
import {
  Count,
  Counter,
  insertNote,
  Note,
  plainNote,
  selectNotes,
  TEST_MIGRATIONS,
} from "./tables.ts"

/**
 * Requirements for every database behind the port. `open` returns a fresh, empty store with the
 * tables of tables.ts; the test closes it.
 */
export function dbConformance(subject: { name: string; open: () => Promise<Store> }): void {
  const { name, open } = subject

  describe(`Db on ${name}: values`, () => {
    test("[STORE-16] a value of every type is read as it was stored", async () => {
      await using store = await open()
      const bytes = new Uint8Array([0, 1, 127, 128, 255])
      const notes: Note[] = [
        { id: "a", body: "", weight: 0.1, rank: Number.MAX_SAFE_INTEGER, bytes },
        { id: "b", body: "naïve 名前 😀\r\n\t", weight: -1e300, rank: -1, bytes: new Uint8Array() },
        { id: "c", body: "x", weight: null, rank: null, bytes: null },
      ]
      await store.db.transaction(async (tx) => {
        for (const note of notes) await tx.run(insertNote(note))
      })
      expect(await store.db.all(Note, selectNotes)).toEqual(notes)
    })

    test("[STORE-16] text that cannot be stored unchanged is refused", async () => {
      await using store = await open()
      for (const body of ["a\0b", "\ud800", "x\udfffy"]) {
        expect(() => insertNote(plainNote("a", body))).toThrow(
          expect.objectContaining({ code: TextUnstorable.code }),
        )
      }
      expect(await store.db.all(Note, selectNotes)).toEqual([])
    })

    test("[STORE-16] text is ordered by its bytes, independent of the server's locale", async () => {
      await using store = await open()
      const ids = ["a", "B", "_", "é", "z", "Z", "名", "😀", "a b", "a-b", "ab"]
      await store.db.transaction(async (tx) => {
        for (const id of ids) await tx.run(insertNote(plainNote(id)))
      })
      const byBytes = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect((await store.db.all(Note, selectNotes)).map((it) => it.id)).toEqual(byBytes)
    })

    test("[TB4][STORE-1] SQL in a value stays a value, in every field", async () => {
      await using store = await open()
      const hostile = fc.oneof(
        fc.constantFrom(...SQL_META),
        fc.string({ unit: "binary" }).filter((it) => !it.includes("\0") && it.isWellFormed()),
      )
      await fc.assert(
        fc.asyncProperty(hostile, hostile, async (id, body) => {
          await store.db.run(sql`DELETE FROM notes`)
          await store.db.run(insertNote(plainNote(id, body)))
          const found = sql`SELECT id, body, weight, rank, bytes FROM notes WHERE id = ${id} AND body = ${body}`
          expect(await store.db.all(Note, found)).toEqual([plainNote(id, body)])
          const { changes } = await store.db.run(
            sql`UPDATE notes SET body = ${id} WHERE id = ${id}`,
          )
          expect(changes).toBe(1)
        }),
        fcParameters({ numRuns: 150 }),
      )
    })
  })

  describe(`Db on ${name}: queries`, () => {
    test("[STORE-2] a row without the declared shape is an error that does not contain its values", async () => {
      await using store = await open()
      await store.db.run(insertNote(plainNote("a", "confidential")))
      const wrong = z.object({ id: z.string(), body: z.int() })
      const error = await store.db.all(wrong, selectNotes).catch((it: unknown) => it)
      expect(RowUnexpected.is(error)).toBe(true)
      expect(String(error)).not.toContain("confidential")
    })

    test("[STORE-2] get returns the first row or undefined; run counts the changed rows", async () => {
      await using store = await open()
      expect(await store.db.get(Note, selectNotes)).toBeUndefined()
      for (const id of ["a", "b", "c"]) await store.db.run(insertNote(plainNote(id)))
      expect(await store.db.get(Note, selectNotes)).toEqual(plainNote("a"))
      const some = join([sql`id = ${"a"}`, sql`id = ${"c"}`], sql` OR `)
      expect(await store.db.run(sql`DELETE FROM notes WHERE ${some}`)).toEqual({ changes: 2 })
      expect(await store.db.run(sql`DELETE FROM notes WHERE id = ${"x"}`)).toEqual({ changes: 0 })
    })

    test("[STORE-2] sums and counts are numbers", async () => {
      await using store = await open()
      for (const [index, id] of ["a", "b"].entries()) {
        await store.db.run(insertNote({ ...plainNote(id), rank: index + 40 }))
      }
      const Sums = z.object({ count: z.int(), sum: z.int() })
      const sums = await store.db.get(
        Sums,
        sql`SELECT count(*) AS count, sum(rank) AS sum FROM notes`,
      )
      expect(sums).toEqual({ count: 2, sum: 81 })
    })

    test("[STORE-3] a violated constraint is a typed error without the values", async () => {
      await using store = await open()
      await store.db.run(insertNote(plainNote("twice")))
      const again = await store.db.run(insertNote(plainNote("twice"))).catch((it: unknown) => it)
      const orphan = sql`INSERT INTO replies (id, note_id) VALUES (${"r"}, ${"missing-note"})`
      const alone = await store.db.run(orphan).catch((it: unknown) => it)
      for (const error of [again, alone]) {
        expect(ConstraintBroken.is(error)).toBe(true)
        expect(String(error)).not.toMatch(/twice|missing-note/)
      }
    })

    test("[STORE-5] a read cannot write", async () => {
      await using store = await open()
      const sneaky = sql`DELETE FROM journal RETURNING seq AS count`
      await expect(store.db.all(Count, sneaky)).rejects.toThrow(/./)
      expect((await store.journal.head()).seq).toBe(1)
    })
  })

  describe(`Db on ${name}: transactions`, () => {
    test("[STORE-3] a transaction that throws changes nothing", async () => {
      await using store = await open()
      const failure = store.db.transaction(async (tx) => {
        await tx.run(insertNote(plainNote("a")))
        expect(await tx.all(Note, selectNotes)).toHaveLength(1)
        throw new Error("changed my mind")
      })
      await expect(failure).rejects.toThrow("changed my mind")
      expect(await store.db.all(Note, selectNotes)).toEqual([])
    })

    test("[STORE-3] a transaction with a failed statement never commits, even if the error is caught", async () => {
      await using store = await open()
      await store.db.run(insertNote(plainNote("a")))
      const doomed = store.db.transaction(async (tx) => {
        await tx.run(insertNote(plainNote("b")))
        await tx.run(insertNote(plainNote("a"))).catch(() => {})
        return "committed"
      })
      await expect(doomed).rejects.toMatchObject({ code: ConstraintBroken.code })
      expect(await store.db.all(Note, selectNotes)).toEqual([plainNote("a")])
    })

    test("[STORE-3] when any call of a write path fails, nothing of it is stored", async () => {
      await using store = await open()
      const db = store.forRoom("store")
      const { calls } = await failAtEveryCall(db, {
        write: (faulty) =>
          faulty.transaction(async (tx) => {
            await tx.run(insertNote(plainNote("a")))
            tx.emit("store.backed-up", { file: "f", sizeBytes: 1 })
            const { count } = (await tx.get(Count, sql`SELECT count(*) AS count FROM notes`)) ?? {
              count: -1,
            }
            await tx.run(sql`INSERT INTO counters (name, value) VALUES (${"notes"}, ${count})`)
          }),
        async afterFailure() {
          expect(await store.db.all(Note, selectNotes)).toEqual([])
          expect(await store.db.all(Counter, sql`SELECT value FROM counters`)).toEqual([])
          expect((await store.journal.head()).seq).toBe(1)
        },
      })
      expect(calls).toBe(5)
      expect(await store.db.all(Note, selectNotes)).toEqual([plainNote("a")])
      expect((await store.journal.head()).seq).toBe(2)
    })

    test("[C1][STORE-4] concurrent read-modify-write in one process loses no update", async () => {
      await using store = await open()
      await store.db.run(sql`INSERT INTO counters (name, value) VALUES (${"n"}, ${0})`)
      const increment = () =>
        store.db.transaction(async (tx) => {
          const found = await tx.get(Counter, sql`SELECT value FROM counters WHERE name = ${"n"}`)
          await new Promise((resolve) => setImmediate(resolve))
          await tx.run(
            sql`UPDATE counters SET value = ${(found?.value ?? 0) + 1} WHERE name = ${"n"}`,
          )
        })
      await Promise.all(Array.from({ length: 50 }, increment))
      expect(await store.db.get(Counter, sql`SELECT value FROM counters`)).toEqual({ value: 50 })
    })

    test("[STORE-4] transactions begin in the order of their requests", async () => {
      await using store = await open()
      const order: number[] = []
      const asked = [0, 1, 2, 3, 4].map((it) =>
        store.db.transaction(async () => void order.push(it)),
      )
      await Promise.all(asked)
      expect(order).toEqual([0, 1, 2, 3, 4])
    })

    test("[STORE-5] inside a transaction the db itself is refused with a hint to use tx", async () => {
      await using store = await open()
      const inside: (() => Promise<unknown>)[] = [
        () => store.db.all(Note, selectNotes),
        () => store.db.run(insertNote(plainNote("a"))),
        () => store.db.transaction(async () => {}),
        () => store.journal.head(),
      ]
      for (const call of inside) {
        await expect(store.db.transaction(() => call())).rejects.toThrow(/uses its tx/)
      }
      expect(await store.db.all(Note, selectNotes)).toEqual([])
    })

    test("[STORE-5] a tx is refused after its transaction has ended", async () => {
      await using store = await open()
      const leaked = await store.db.transaction(async (tx) => ({ tx }))
      await expect(leaked.tx.run(insertNote(plainNote("late")))).rejects.toThrow(/until its/)
      expect(await store.db.all(Note, selectNotes)).toEqual([])
    })
  })

  describe(`Db on ${name}: events`, () => {
    test("[STORE-6] an event and its change are stored together or not at all", async () => {
      await using store = await open()
      const db = store.forRoom("store")
      const { seq } = await store.journal.head()
      const failure = db.transaction(async (tx) => {
        tx.emit("store.backed-up", { file: "gone", sizeBytes: 1 })
        await tx.run(insertNote(plainNote("gone")))
        throw new Error("no")
      })
      await expect(failure).rejects.toThrow("no")
      expect((await store.journal.head()).seq).toBe(seq)
      await db.transaction(async (tx) => tx.emit("store.backed-up", { file: "f", sizeBytes: 2 }))
      const page = await store.journal.read({ after: undefined, limit: 10 })
      expect(page).toMatchObject({
        kind: "entries",
        entries: [
          { seq: 1, name: "store.created", version: 1, body: { dialect: store.db.dialect } },
          { seq: 2, name: "store.backed-up", version: 1, body: { file: "f", sizeBytes: 2 } },
        ],
      })
    })

    test("[STORE-6] an event with an invalid body is refused at once", async () => {
      await using store = await open()
      const wrong = store.forRoom("store").transaction(async (tx) => {
        tx.emit("store.backed-up", { file: "f", sizeBytes: 1.5 })
      })
      await expect(wrong).rejects.toThrow(/sizeBytes/)
      expect((await store.journal.head()).seq).toBe(1)
    })

    test("[STORE-7] listeners receive commits in order, and only commits", async () => {
      await using store = await open()
      const heard: number[] = []
      const end = store.onCommit((entries) => void heard.push(...entries.map((it) => it.seq)))
      const db = store.forRoom("store")
      const emitting = Array.from({ length: 20 }, (_, index) =>
        db
          .transaction(async (tx) => {
            tx.emit("store.backed-up", { file: "f", sizeBytes: index })
            if (index % 5 === 4) throw new Error("rolled back")
          })
          .catch(() => {}),
      )
      await Promise.all(emitting)
      expect(heard).toEqual(Array.from({ length: 16 }, (_, index) => index + 2))
      end()
      await db.transaction(async (tx) => tx.emit("store.backed-up", { file: "f", sizeBytes: 0 }))
      expect(heard).toHaveLength(16)
    })

    test("[STORE-7] a failing listener affects neither the commit nor the next listener", async () => {
      await using store = await open()
      const heard: string[] = []
      store.onCommit(() => {
        throw new Error("at once")
      })
      store.onCommit(async () => {
        throw new Error("later")
      })
      store.onCommit((entries) => void heard.push(...entries.map((it) => it.name)))
      const db = store.forRoom("store")
      await db.transaction(async (tx) => tx.emit("store.backed-up", { file: "f", sizeBytes: 0 }))
      expect(heard).toEqual(["store.backed-up"])
      expect((await store.journal.head()).seq).toBe(2)
    })

    test("[STORE-8] the journal is read page by page, and cursors of another store are recognized", async () => {
      await using store = await open()
      const db = store.forRoom("store")
      for (let size = 0; size < 7; size++) {
        await db.transaction(async (tx) => {
          tx.emit("store.backed-up", { file: "f", sizeBytes: size })
          tx.emit("store.restored", { file: "f", events: size })
        })
      }
      const seen: number[] = []
      let after: { epoch: string; seq: number } | undefined
      for (;;) {
        const page = await store.journal.read({ after, limit: 4 })
        if (page.kind !== "entries" || page.entries.length === 0) break
        seen.push(...page.entries.map((it) => it.seq))
        after = page.next
      }
      expect(seen).toEqual(Array.from({ length: 15 }, (_, index) => index + 1))
      const head = await store.journal.head()
      const named = await store.journal.read({ after: undefined, limit: 50, namePrefix: "store.r" })
      expect(named).toMatchObject({ kind: "entries", next: head, head })
      expect(named.kind === "entries" && named.entries.map((it) => it.body["events"])).toEqual([
        0, 1, 2, 3, 4, 5, 6,
      ])
      const foreign = { epoch: "another", seq: 1 }
      expect(await store.journal.read({ after: foreign, limit: 1 })).toEqual({
        kind: "foreign-cursor",
        head,
      })
      const future = { epoch: head.epoch, seq: head.seq + 1 }
      expect(await store.journal.read({ after: future, limit: 1 })).toEqual({
        kind: "future-cursor",
        head,
      })
    })

    test("[STORE-9] a journal entry that was changed outside the store is an error", async () => {
      await using store = await open()
      await store.db.run(sql`UPDATE journal SET body = ${"{}"} WHERE seq = ${1}`)
      await expect(store.journal.read({ after: undefined, limit: 5 })).rejects.toMatchObject({
        code: "STORE_CORRUPT",
      })
      expect((await store.check()).findings).toHaveLength(1)
    })

    test("[STORE-9] a missing journal entry is an error, not a shorter list", async () => {
      await using store = await open()
      const db = store.forRoom("store")
      for (let size = 0; size < 3; size++) {
        await db.transaction(async (tx) =>
          tx.emit("store.backed-up", { file: "", sizeBytes: size }),
        )
      }
      await store.db.run(sql`DELETE FROM journal WHERE seq = ${2}`)
      await expect(store.journal.read({ after: undefined, limit: 5 })).rejects.toMatchObject({
        code: "STORE_CORRUPT",
      })
      await store.db.run(sql`DELETE FROM journal WHERE seq = ${4}`)
      await expect(store.journal.head()).rejects.toMatchObject({ code: "STORE_CORRUPT" })
    })
  })

  describe(`Db on ${name}: closing`, () => {
    test("[STORE-3] a closed store refuses calls and may be closed twice", async () => {
      const store = await open()
      const last = store.db.run(insertNote(plainNote("a")))
      await store.close()
      await store.close()
      expect(await last).toEqual({ changes: 1 })
      await expect(store.db.all(Note, selectNotes)).rejects.toMatchObject({ code: "STORE_CLOSED" })
      await expect(store.db.run(insertNote(plainNote("b")))).rejects.toMatchObject({
        code: "STORE_CLOSED",
      })
    })

    test("[STORE-15] status reports the contents of the store", async () => {
      await using store = await open()
      expect(await store.status()).toMatchObject({
        dialect: store.db.dialect,
        schemaVersion: TEST_MIGRATIONS.length,
        events: 1,
        corruptFiles: [],
        stopped: undefined,
      })
      expect(await store.check()).toEqual({ checkedEvents: 1, findings: [] })
    })
  })
}

const SQL_META = [
  "'; DROP TABLE notes; --",
  '" OR ""="',
  "$1",
  "?",
  "%",
  "_",
  "\\",
  "\\'",
  "/* */",
  "E'\\x41'",
  "$$",
  "$tag$",
  "NULL",
  ";",
  "--",
  "\u2028",
  "ʼ OR 1=1",
  "`",
  "[",
  "{}",
  "x'41'",
  ":name",
  "@name",
] as const
