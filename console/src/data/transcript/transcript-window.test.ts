import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Message } from "../../contract.ts"
import { withSeed } from "../../test-seed.ts"
import {
  endSeqOf,
  isAtEnd,
  MOST_MESSAGES,
  openWindow,
  type TranscriptWindow,
  takeLive,
  takeNewer,
  takeOlder,
  withLastSeq,
} from "./transcript-window.ts"

function aMessage(seq: number): Message {
  return {
    id: `m${seq}`,
    seq,
    type: "assistant",
    role: "assistant",
    content: `${seq}`,
    timestamp: seq,
    metadata: {},
  }
}

const stored = (from: number, to: number): Message[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => aMessage(from + i))

const seqs = ({ messages }: TranscriptWindow) => messages.map((it) => it.seq)

describe("transcript window", () => {
  it("[CONSOLE-29] it opens with one page and knows the last message number", () => {
    const window = openWindow(stored(101, 200), 500)
    expect(window).toMatchObject({ lastSeq: 500, hasStart: false })
    expect(isAtEnd(window)).toBe(false)
    expect(openWindow([], 0)).toEqual({ messages: [], lastSeq: 0, hasStart: true })
  })

  it("[CONSOLE-29] a page that does not adjoin the window is ignored", () => {
    const window = openWindow(stored(101, 200), 200)
    expect(takeOlder(window, stored(1, 50))).toBe(window)
    expect(seqs(takeNewer(window, stored(202, 210)))).toEqual(seqs(window))
    expect(takeNewer(window, stored(202, 210)).lastSeq).toBe(210)
  })

  it("[CONSOLE-29] a message received twice is stored once", () => {
    const window = takeNewer(openWindow(stored(1, 10), 10), stored(5, 15))
    expect(seqs(window)).toEqual(stored(1, 15).map((it) => it.seq))
  })

  it("[CONSOLE-29] it holds at most 5,000 messages and drops them on the side away from the reader", () => {
    const full = openWindow(stored(1, MOST_MESSAGES), MOST_MESSAGES)
    const fresh = stored(MOST_MESSAGES + 1, MOST_MESSAGES + 50)
    const followed = takeLive(full, fresh, { isFollowing: true })
    expect(seqs(followed).at(0)).toBe(51)
    expect(isAtEnd(followed)).toBe(true)
    const read = takeLive(full, fresh, { isFollowing: false })
    expect(seqs(read)).toEqual(seqs(full))
    expect(read.lastSeq).toBe(MOST_MESSAGES + 50)
  })

  it("[CONSOLE-29] pages, live messages and reconnects in any order give the stored messages, each once", () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 80 }),
        (steps, n) => {
          const state: WindowModel = {
            last: n,
            window: openWindow(stored(Math.max(1, n - 9), n), n),
          }
          for (const it of steps) act(state, it)
          expectUnbroken(state)
          while (!isAtEnd(state.window)) act(state, { kind: "newer", size: 7 })
          act(state, { kind: "replay" })
          while (!state.window.hasStart) act(state, { kind: "older", size: 7 })
          expect(seqs(state.window)).toEqual(stored(1, state.last).map((it) => it.seq))
        },
      ),
      withSeed(),
    )
  })
})

type Step =
  | { readonly kind: "older" | "newer"; readonly size: number }
  | { readonly kind: "live" | "missed"; readonly size: number }
  | { readonly kind: "replay" }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("older" as const, "newer" as const, "live" as const, "missed" as const),
    size: fc.integer({ min: 1, max: 12 }),
  }),
  fc.constant({ kind: "replay" as const }),
)

type WindowModel = { last: number; window: TranscriptWindow }

function act(state: WindowModel, it: Step): void {
  const { window } = state
  const first = window.messages[0]?.seq ?? 1
  switch (it.kind) {
    case "older":
      state.window = takeOlder(window, stored(Math.max(1, first - it.size), first - 1))
      return
    case "newer": {
      const end = endSeqOf(window)
      state.window = takeNewer(window, stored(end + 1, Math.min(state.last, end + it.size)))
      return
    }
    case "live": {
      const fresh = stored(state.last + 1, state.last + it.size)
      state.last += it.size
      state.window = takeLive(window, fresh, { isFollowing: it.size % 2 === 0 })
      return
    }
    case "missed":
      state.last += it.size
      return
    case "replay":
      state.window = withLastSeq(
        takeNewer(window, stored(window.lastSeq + 1, state.last)),
        state.last,
      )
      return
    default:
      it satisfies never
  }
}

function expectUnbroken({ window, last }: WindowModel): void {
  const held = seqs(window)
  const [first = 1] = held
  expect(held).toEqual(stored(first, first + held.length - 1).map((it) => it.seq))
  expect(window.lastSeq).toBeLessThanOrEqual(last)
  expect(endSeqOf(window)).toBeLessThanOrEqual(window.lastSeq)
}
