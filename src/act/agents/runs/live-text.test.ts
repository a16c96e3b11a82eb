import { expect, test } from "vitest"
import { systemClock } from "#ground/base"
import type { AgentEvent } from "#ground/contract"
import { createLiveText } from "./live-text.ts"
import { isSessionGone } from "./session-pump.ts"

const delta = (text: string, parentId?: string): AgentEvent => ({
  event: "text.delta",
  text,
  ...(parentId === undefined ? {} : { parentId }),
})

function newLiveText() {
  const told: { text: string; parentId: string | undefined }[] = []
  const waiting: (() => void)[] = []
  const live = createLiveText({
    clock: { ...systemClock, sleep: () => new Promise<void>((go) => void waiting.push(go)) },
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    notify: (text, parentId) => void told.push({ text, parentId }),
  })
  const tick = async (): Promise<void> => {
    for (const go of waiting.splice(0)) go()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { ...live, told, tick }
}

test("[AGENTS-28] a secret that arrives in chunks is never emitted, not even its beginning", async () => {
  const live = newLiveText()
  for (const piece of ["the word is hun", "ter", "2", " and that", " is all"]) {
    live.take(delta(piece))
    await live.tick()
  }
  expect(live.told.map((it) => it.text)).toEqual([
    "the word is ",
    "the word is ",
    "the word is ",
    "the word is [redacted] and ",
    "the word is [redacted] and that is ",
  ])
})

test("[AGENTS-28] a key is not emitted before its end has arrived", async () => {
  const live = newLiveText()
  const end = ["-----END X KEY-----", " ok "]
  for (const piece of ["the key: -----BEG", "IN X KEY-----\nabc def\n", ...end]) {
    live.take(delta(piece))
    await live.tick()
  }
  expect(live.told.map((it) => it.text)).toEqual([
    "the key: ",
    "the key: ",
    "the key: ",
    "the key: -----BEGIN X KEY-----\nabc def\n-----END X KEY----- ok ",
  ])
})

test("[AGENTS-28] live text is throttled, separate per activity, and ends with its message", async () => {
  const live = newLiveText()
  live.take(delta("a b c "))
  live.take(delta("d e "))
  live.take(delta("inside ", "act-1"))
  await live.tick()
  expect(live.told).toEqual([
    { text: "a b c d e ", parentId: undefined },
    { text: "inside ", parentId: "act-1" },
  ])
  live.told.length = 0
  live.take({ event: "message", type: "assistant", text: "a b c d e f" })
  expect(live.told).toEqual([{ text: "", parentId: undefined }])
  live.take({ event: "turn.ended", outcome: "stopped", text: "", denials: 0 })
  expect(live.told.at(-1)).toEqual({ text: "", parentId: "act-1" })
})

test("[AGENTS-27] hosts' messages about a missing session are recognised", () => {
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
