import fc from "fast-check"
import { expect } from "vitest"
import { type Store, sql } from "#ground/store"
import { insertNote, Note, plainNote, selectNotes } from "../conformance/tables.ts"

export type Model = { readonly notes: Map<string, string>; events: number }

export type StoreUnderTest = {
  store: Store
  readonly firstEvent: number
  reopen(): Promise<void>
  /** Crashes during a transaction that has done `work`, and reopens the store. */
  crash(work: (store: Store) => Promise<void>): Promise<void>
}

type Step = fc.AsyncCommand<Model, StoreUnderTest>

/** Sequences of typical store operations, each checked against the model. */
export function storeSteps(): fc.Arbitrary<Iterable<Step>> {
  const id = fc.constantFrom("a", "b", "c", "d", "e")
  const body = fc.string({ maxLength: 12 }).filter((it) => !it.includes("\0"))
  return fc.commands(
    [
      fc.tuple(id, body).map(([note, text]) => append(note, text)),
      fc.tuple(id, body).map(([note, text]) => edit(note, text)),
      id.map((note) => remove(note)),
      fc.tuple(id, body).map(([note, text]) => changeMind(note, text)),
      fc.constant(reopen()),
      fc.tuple(id, body).map(([note, text]) => crash(note, text)),
    ],
    { maxCommands: 30 },
  )
}

const append = (id: string, body: string): Step =>
  step(`append ${id}`, async (model, real) => {
    const isThere = model.notes.has(id)
    const outcome = await write(real.store, (tx) => tx.run(insertNote(plainNote(id, body))))
    expect(outcome).toBe(isThere ? "STORE_CONSTRAINT_BROKEN" : "done")
    if (isThere) return
    model.notes.set(id, body)
    model.events++
  })

const edit = (id: string, body: string): Step =>
  step(`edit ${id}`, async (model, real) => {
    await write(real.store, (tx) => tx.run(sql`UPDATE notes SET body = ${body} WHERE id = ${id}`))
    if (model.notes.has(id)) model.notes.set(id, body)
    model.events++
  })

const remove = (id: string): Step =>
  step(`delete ${id}`, async (model, real) => {
    await write(real.store, (tx) => tx.run(sql`DELETE FROM notes WHERE id = ${id}`))
    model.notes.delete(id)
    model.events++
  })

const changeMind = (id: string, body: string): Step =>
  step(`roll back ${id}`, async (_, real) => {
    const outcome = await write(real.store, async (tx) => {
      await tx.run(sql`DELETE FROM notes WHERE id = ${id}`)
      await tx.run(insertNote(plainNote(id, body)))
      throw Object.assign(new Error("changed my mind"), { code: "CHANGED_MIND" })
    })
    expect(outcome).toBe("CHANGED_MIND")
  })

const reopen = (): Step => step("reopen", (_, real) => real.reopen())

const crash = (id: string, body: string): Step =>
  step(`crash while writing ${id}`, (_, real) =>
    real.crash(async (store) => {
      await store.forRoom("store").transaction(async (tx) => {
        tx.emit("store.backed-up", { file: "lost", sizeBytes: 0 })
        await tx.run(sql`DELETE FROM notes`)
        await tx.run(insertNote(plainNote(id, body)))
        throw new Error("died here")
      })
    }),
  )

function step(name: string, run: (model: Model, real: StoreUnderTest) => Promise<void>): Step {
  return {
    check: () => true,
    async run(model, real) {
      await run(model, real)
      await compare(model, real)
    },
    toString: () => name,
  }
}

type Write = (tx: { run: Store["db"]["run"] }) => Promise<unknown>

async function write(store: Store, change: Write): Promise<string> {
  try {
    await store.forRoom("store").transaction(async (tx) => {
      tx.emit("store.backed-up", { file: "", sizeBytes: 0 })
      await change(tx)
    })
    return "done"
  } catch (error) {
    return String((error as { code?: string }).code)
  }
}

async function compare(model: Model, real: StoreUnderTest): Promise<void> {
  const expected = [...model.notes].map(([id, body]) => plainNote(id, body))
  const found = await real.store.db.all(Note, selectNotes)
  expect(found).toEqual(expected.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  const { seq } = await real.store.journal.head()
  expect(seq - real.firstEvent).toBe(model.events)
}
