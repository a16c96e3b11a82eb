import path from "node:path"
import { expect, test } from "vitest"
import { silentLog, systemClock, systemRandom } from "#ground/base"
import type { Cursor } from "#ground/contract"
import { child } from "#test/child"
import { testClock } from "#test/clock"
import { tempDirectory } from "#test/temp"
import { createFollower, LOOK_EVERY_MS, LOOK_EVERY_MS_WITH_SIGNAL } from "./listeners.ts"
import { openStore } from "./store.ts"

const openFile = (file: string) =>
  openStore({
    location: { kind: "sqlite", file },
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  })

function watched(options: { hasSignal?: boolean } = {}) {
  const clock = testClock()
  const state = { seq: 0, looks: 0, isBroken: false, warnings: 0, sent: 0, told: () => {} }
  const head = async (): Promise<Cursor> => {
    state.looks++
    if (state.isBroken) throw new Error("the disk is away")
    return { epoch: "e", seq: state.seq }
  }
  const signal = {
    send: () => void state.sent++,
    settled: async () => {},
    listen(tell: () => void) {
      state.told = tell
    },
  }
  const log = { ...silentLog, warn: () => void state.warnings++ }
  const deps = { head, signal: options.hasSignal === true ? signal : undefined, clock, log }
  return { clock, state, follower: createFollower(deps) }
}

test("[N1] listeners receive commits of another process on SQLite", async () => {
  await using folder = await tempDirectory()
  const file = path.join(folder.path, "store.db")
  await using store = await openFile(file)
  const { seq } = await store.journal.head()
  const grown = Promise.withResolvers<void>()
  const stop = store.onAdvance(() => {
    void store.journal.head().then((head) => head.seq > seq && grown.resolve())
  })
  const script = new URL("../../../test/fault/live-writer.child.ts", import.meta.url)
  await using writer = child(script, [file])
  expect((await writer.exited).code).toBe(0)
  await grown.promise
  stop()
})

test("[N1] listeners receive our own commit immediately, without a poll", async () => {
  const { state, follower } = watched({ hasSignal: true })
  let told = 0
  follower.onAdvance(() => {
    told++
  })
  follower.committed()
  expect([told, state.sent]).toEqual([1, 1])
  state.told()
  expect(told).toBe(2)
  follower.close()
})

test("[N1] a poll calls the listeners only if the head is new", async () => {
  const { clock, state, follower } = watched()
  let told = 0
  const stop = follower.onAdvance(() => {
    told++
  })
  await clock.advance(LOOK_EVERY_MS * 5)
  expect([told, state.looks]).toEqual([1, 6])
  state.seq = 9
  await clock.advance(LOOK_EVERY_MS)
  expect(told).toBe(2)
  stop()
})

test("[N1] polling stops with the last listener and starts with a new one", async () => {
  const { clock, state, follower } = watched()
  const stops = [follower.onAdvance(() => {}), follower.onAdvance(() => {})]
  await clock.advance(LOOK_EVERY_MS)
  stops[0]?.()
  stops[0]?.()
  await clock.advance(LOOK_EVERY_MS)
  expect(state.looks).toBe(3)
  stops[1]?.()
  await clock.advance(LOOK_EVERY_MS * 10)
  expect(state.looks).toBe(3)
  const stop = follower.onAdvance(() => {})
  await clock.advance(LOOK_EVERY_MS)
  expect(state.looks).toBe(5)
  stop()
})

test("[N1] polling continues after the store could not be read", async () => {
  const { clock, state, follower } = watched()
  let told = 0
  state.isBroken = true
  const stop = follower.onAdvance(() => {
    told++
  })
  await clock.advance(LOOK_EVERY_MS_WITH_SIGNAL)
  expect([told, state.warnings]).toEqual([0, 2])
  state.isBroken = false
  await clock.advance(LOOK_EVERY_MS_WITH_SIGNAL)
  expect(told).toBe(1)
  stop()
})
