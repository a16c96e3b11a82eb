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
import { describeLive } from "./status-bar.tsx"

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

describe("live cursor", () => {
  it("[CONSOLE-4] without a cursor it starts at the journal head and refetches everything once", () => {
    const { state, refetches } = run(startLive(null), [{ kind: "subscribed", head: at(7) }])
    expect(state).toEqual({ phase: { kind: "live" }, cursor: at(7), failures: 0 })
    expect(refetches).toBe(1)
  })

  it("[N1] after a lost connection it resumes from its cursor and reports how many events it caught up with", () => {
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

  it("[N1] a repeated event is passed on once, whatever part of the stream is cut off and sent again", () => {
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

  it("[N1] a cursor from another journal epoch makes it refetch everything", () => {
    const { state, refetches } = run(startLive(at(99, "old")), [
      { kind: "resync", head: at(3, "new") },
      { kind: "received", entries: [event(4, "new")], head: at(4, "new") },
    ])
    expect(refetches).toBe(1)
    expect(state.cursor).toEqual(at(4, "new"))
  })

  it("[N1] a restored store starts a new epoch whose lower sequence numbers count as new", () => {
    const { fresh, state } = run(startLive(at(10)), [
      { kind: "received", entries: [event(2, "e2")], head: at(2, "e2") },
    ])
    expect(fresh).toEqual([2])
    expect(state.cursor).toEqual(at(2, "e2"))
  })

  it("[CONSOLE-4] after the server cuts it off, the client resumes from its own cursor if that is older than the server's", () => {
    const after = (cursor?: Cursor) =>
      run(startLive(at(10)), [{ kind: "cut", cursor }]).state.cursor
    expect(after(at(14))).toEqual(at(10))
    expect(after(at(8))).toEqual(at(8))
    expect(after(undefined)).toEqual(at(10))
    expect(after(at(2, "e2"))).toEqual(at(2, "e2"))
  })

  it("[CONSOLE-4] a cursor that the server rejects is dropped", () => {
    expect(run(startLive(at(10)), [{ kind: "refused" }]).state.cursor).toBeNull()
  })

  it("[CONSOLE-4] the retry delay doubles from 1 s up to 15 s", () => {
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
  ])("[CONSOLE-4] the status bar shows %o as %s", (phase, expected) => {
    expect(describeLive(phase, 0).text).toBe(expected)
  })

  it("[CONSOLE-4] a stored cursor is read back, and invalid text is read as no cursor", () => {
    expect(readCursor("12 ep_a b")).toEqual({ epoch: "ep_a b", seq: 12 })
    for (const text of [null, "", "x y", "-1 e", "12"]) expect(readCursor(text)).toBeNull()
  })
})
