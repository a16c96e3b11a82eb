import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import type { AgentEvent } from "#ground/contract"
import { createDeltas } from "./deltas.ts"
import { isSessionGone } from "./expiry.ts"

const delta = (text: string, parentId?: string): AgentEvent => ({
  event: "text.delta",
  text,
  ...(parentId === undefined ? {} : { parentId }),
})

/** Deltas whose clock moves only when it is told to. */
function newDeltas() {
  const told: { text: string; parentId: string | undefined }[] = []
  const waiting: (() => void)[] = []
  const deltas = createDeltas({
    clock: { ...systemClock, sleep: () => new Promise<void>((go) => void waiting.push(go)) },
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    tell: (text, parentId) => void told.push({ text, parentId }),
  })
  const tick = async (): Promise<void> => {
    for (const go of waiting.splice(0)) go()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { ...deltas, told, tick }
}

test("[AGENTS-28] a secret that comes in pieces is never told, not even its beginning", async () => {
  const deltas = newDeltas()
  for (const piece of ["the word is hun", "ter", "2", " and that", " is all"]) {
    deltas.hear(delta(piece))
    await deltas.tick()
  }
  expect(deltas.told.map((it) => it.text)).toEqual([
    "the word is ",
    "the word is ",
    "the word is ",
    "the word is [redacted] and ",
    "the word is [redacted] and that is ",
  ])
})

test("[AGENTS-28] a key is not told before its end is there", async () => {
  const deltas = newDeltas()
  const end = ["-----END X KEY-----", " ok "]
  for (const piece of ["the key: -----BEG", "IN X KEY-----\nabc def\n", ...end]) {
    deltas.hear(delta(piece))
    await deltas.tick()
  }
  expect(deltas.told.map((it) => it.text)).toEqual([
    "the key: ",
    "the key: ",
    "the key: ",
    "the key: -----BEGIN X KEY-----\nabc def\n-----END X KEY----- ok ",
  ])
})

test("[AGENTS-28] text is told at most once a moment, apart for each activity, and ends with its message", async () => {
  const deltas = newDeltas()
  deltas.hear(delta("a b c "))
  deltas.hear(delta("d e "))
  deltas.hear(delta("inside ", "act-1"))
  await deltas.tick()
  expect(deltas.told).toEqual([
    { text: "a b c d e ", parentId: undefined },
    { text: "inside ", parentId: "act-1" },
  ])
  deltas.told.length = 0
  deltas.hear({ event: "message", type: "assistant", text: "a b c d e f" })
  expect(deltas.told).toEqual([{ text: "", parentId: undefined }])
  deltas.hear({ event: "turn.ended", outcome: "stopped", text: "", denials: 0 })
  expect(deltas.told.at(-1)).toEqual({ text: "", parentId: "act-1" })
})

test("[AGENTS-27] hosts say in words that a session is gone", () => {
  const gone = [
    "No conversation found with session ID: 0191",
    "Codex refused to resume: no rollout found for thread id 0191",
    "Session expired",
    "thread not found: 0191",
  ]
  const other = ["API error 529: overloaded", "the session ended with code 1", "no space left"]
  expect(gone.filter(isSessionGone)).toEqual(gone)
  expect(other.filter(isSessionGone)).toEqual([])
})
