import { expect, test } from "vitest"
import type { Heard } from "../agent.ts"
import { MOST_WAITING_EVENTS } from "./limits.ts"
import { createOutbox } from "./outbox.ts"

const heard = (text: string): Heard => ({ event: { event: "text.delta", text } })

test("[AGENTS-16] a writer waits when a thousand events wait for their reader", async () => {
  const outbox = createOutbox()
  const written = await writeUntilFull(outbox)
  expect(written).toBe(MOST_WAITING_EVENTS)
  const room = outbox.room()
  expect(await isSettled(room)).toBe(false)
  await outbox.events.next()
  expect(await isSettled(room)).toBe(true)
})

test("[AGENTS-16] a few large events fill it as well", async () => {
  const outbox = createOutbox()
  for (let count = 0; count < 9; count++) {
    outbox.push({ ...heard("x"), raw: "y".repeat(1024 * 1024) })
  }
  expect(await isSettled(outbox.room())).toBe(false)
})

test("[AGENTS-16] nobody waits for a reader that has gone", async () => {
  const outbox = createOutbox()
  await writeUntilFull(outbox)
  const room = outbox.room()
  await outbox.events.next()
  await outbox.events.return(undefined)
  await room
  outbox.push(heard("late"))
  expect(await outbox.events.next()).toEqual({ done: true, value: undefined })
})

test("[AGENTS-16] everything that was said before the end is read, in order", async () => {
  const outbox = createOutbox()
  const reading = collect(outbox.events)
  for (const text of ["a", "b"]) outbox.push(heard(text))
  outbox.end()
  outbox.push(heard("late"))
  expect(await reading).toEqual([heard("a"), heard("b")])
})

async function writeUntilFull(outbox: ReturnType<typeof createOutbox>): Promise<number> {
  for (let written = 1; ; written++) {
    outbox.push(heard("x"))
    if (!(await isSettled(outbox.room()))) return written
  }
}

/** Whether a promise is done once all that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isDone = false
  void promise.then(() => {
    isDone = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return isDone
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
