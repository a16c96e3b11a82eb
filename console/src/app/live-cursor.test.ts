import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Cursor, JournalEntry } from "../contract.ts"
import { withSeed } from "../test-seed.ts"
import {
  backoffMs,
  type LiveInput,
  type LiveState,
  readCursor,
  startLive,
  stepLive,
} from "./live-cursor.ts"
import { sayLive } from "./status-bar.tsx"

const at = (seq: number, epoch = "e1"): Cursor => ({ epoch, seq })
const event = (seq: number, epoch = "e1"): JournalEntry => ({
  epoch,
  seq,
  id: `ev_${seq}`,
  at: seq,
  name: "store.backed-up",
  version: 1,
  body: {},
})
const events = (...seqs: number[]) => seqs.map((seq) => event(seq))

/** Takes the inputs one after another and keeps what was handed on. */
function run(state: LiveState, inputs: readonly LiveInput[]) {
  const fresh: number[] = []
  let refetches = 0
  let current = state
  for (const input of inputs) {
    const step = stepLive(current, input)
    current = step.state
    fresh.push(...step.fresh.map((it) => it.seq))
    if (step.mustRefetch) refetches++
  }
  return { state: current, fresh, refetches }
}

describe("the live cursor", () => {
  it("[CONSOLE-4] without a cursor it begins at the head and asks for everything once more", () => {
    const { state, refetches } = run(startLive(null), [{ kind: "subscribed", head: at(7) }])
    expect(state).toEqual({ phase: { kind: "live" }, cursor: at(7), failures: 0 })
    expect(refetches).toBe(1)
  })

  it("[N1] after a break it goes on from its cursor and says how many it caught up with", () => {
    const { state, fresh, refetches } = run(startLive(at(10)), [
      { kind: "lost", now: 0 },
      { kind: "subscribed", head: at(13) },
      { kind: "received", entries: events(11, 12), head: at(13) },
      { kind: "received", entries: events(13), head: at(13) },
    ])
    expect(fresh).toEqual([11, 12, 13])
    expect(refetches).toBe(0)
    expect(state).toEqual({
      phase: { kind: "caught-up", events: 3 },
      cursor: at(13),
      failures: 0,
    })
    expect(run(state, [{ kind: "rested" }]).state.phase).toEqual({ kind: "live" })
  })

  it("[N1] an event that comes twice is handed on once, whatever is cut and sent again", () => {
    const messages = fc.array(
      fc.record({ from: fc.integer({ min: 1, max: 40 }), count: fc.integer({ min: 0, max: 10 }) }),
    )
    fc.assert(
      fc.property(messages, (sent) => {
        const inputs = sent.map(({ from, count }): LiveInput => {
          const seqs = Array.from({ length: count }, (_, i) => from + i)
          return { kind: "received", entries: events(...seqs), head: at(50) }
        })
        const { fresh, state } = run(startLive(at(0)), inputs)
        expect(fresh).toEqual(fresh.toSorted((a, b) => a - b))
        expect(new Set(fresh).size).toBe(fresh.length)
        expect(state.cursor?.seq ?? 0).toBe(fresh.at(-1) ?? 0)
      }),
      withSeed(),
    )
  })

  it("[N1] a cursor of another history is answered by asking for everything again", () => {
    const { state, refetches } = run(startLive(at(99, "old")), [
      { kind: "resync", head: at(3, "new") },
      { kind: "received", entries: [event(4, "new")], head: at(4, "new") },
    ])
    expect(refetches).toBe(1)
    expect(state.cursor).toEqual(at(4, "new"))
  })

  it("[N1] a restored store begins another history, whose lower numbers are new", () => {
    const { fresh, state } = run(startLive(at(10)), [
      { kind: "received", entries: [event(2, "e2")], head: at(2, "e2") },
    ])
    expect(fresh).toEqual([2])
    expect(state.cursor).toEqual(at(2, "e2"))
  })

  it("[CONSOLE-4] a cut client comes back from what it has, not from what was sent", () => {
    const after = (cursor?: Cursor) =>
      run(startLive(at(10)), [{ kind: "cut", cursor }]).state.cursor
    expect(after(at(14))).toEqual(at(10))
    expect(after(at(8))).toEqual(at(8))
    expect(after(undefined)).toEqual(at(10))
    expect(after(at(2, "e2"))).toEqual(at(2, "e2"))
  })

  it("[CONSOLE-4] a cursor that the server does not understand is dropped", () => {
    expect(run(startLive(at(10)), [{ kind: "refused" }]).state.cursor).toBeNull()
  })

  it("[CONSOLE-4] breaks are waited out longer and longer, and never too long", () => {
    expect([0, 1, 2, 3, 4, 5, 99].map(backoffMs)).toEqual([
      1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
    ])
    const { state } = run(startLive(at(1)), [
      { kind: "lost", now: 0 },
      { kind: "lost", now: 1_000 },
      { kind: "lost", now: 3_000 },
    ])
    expect(state.phase).toEqual({ kind: "reconnecting", retryAt: 7_000 })
    expect(state.cursor).toEqual(at(1))
  })

  it.each([
    [{ kind: "live" } as const, "Live"],
    [{ kind: "reconnecting", retryAt: 4_000 } as const, "Reconnecting, 4 s"],
    [{ kind: "reconnecting", retryAt: 0 } as const, "Reconnecting"],
    [{ kind: "caught-up", events: 31 } as const, "Caught up, 31 events"],
    [{ kind: "caught-up", events: 1 } as const, "Caught up, 1 event"],
  ])("[CONSOLE-4] the status bar says %o as %s", (phase, expected) => {
    expect(sayLive(phase, 0).text).toBe(expected)
  })

  it("[CONSOLE-4] a remembered cursor is read back, and nonsense is none", () => {
    expect(readCursor("12 ep_a b")).toEqual({ epoch: "ep_a b", seq: 12 })
    for (const text of [null, "", "x y", "-1 e", "12"]) expect(readCursor(text)).toBeNull()
  })
})
