import { expect, test } from "vitest"
import type { EmittedEvent } from "../agent.ts"
import { createBoundedQueue, MAX_QUEUED_EVENTS } from "./bounded-queue.ts"

const emitted = (text: string): EmittedEvent => ({ event: { event: "text.delta", text } })

test("a writer waits while 1,000 events are unread", async () => {
  const queue = createBoundedQueue()
  const written = await writeUntilFull(queue)
  expect(written).toBe(MAX_QUEUED_EVENTS)
  const room = queue.waitForRoom()
  expect(await isSettled(room)).toBe(false)
  await queue.events.next()
  expect(await isSettled(room)).toBe(true)
})

test("a few large events fill the queue as well", async () => {
  const queue = createBoundedQueue()
  for (let count = 0; count < 9; count++) {
    queue.push({ ...emitted("x"), raw: "y".repeat(1024 * 1024) })
  }
  expect(await isSettled(queue.waitForRoom())).toBe(false)
})

test("a writer does not wait for a reader that closed", async () => {
  const queue = createBoundedQueue()
  await writeUntilFull(queue)
  const room = queue.waitForRoom()
  await queue.events.next()
  await queue.events.return(undefined)
  await room
  queue.push(emitted("late"))
  expect(await queue.events.next()).toEqual({ done: true, value: undefined })
})

test("all events before the end are read, in order", async () => {
  const queue = createBoundedQueue()
  const reading = collect(queue.events)
  for (const text of ["a", "b"]) queue.push(emitted(text))
  queue.end()
  queue.push(emitted("late"))
  expect(await reading).toEqual([emitted("a"), emitted("b")])
})

async function writeUntilFull(queue: ReturnType<typeof createBoundedQueue>): Promise<number> {
  for (let written = 1; ; written++) {
    queue.push(emitted("x"))
    if (!(await isSettled(queue.waitForRoom()))) return written
  }
}

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
