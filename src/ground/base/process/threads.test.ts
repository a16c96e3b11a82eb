import { describe, expect, test } from "vitest"
import { systemClock, threadCpuMs } from "../clock.ts"
import { createThread } from "./threads.ts"

const ECHO = new URL("../../../../test/kit/thread-echo.ts", import.meta.url)
const PATIENT = { entry: ECHO, heapMb: 64, longestSilenceMs: 30_000 }

function echo(options: Partial<typeof PATIENT> = {}) {
  return createThread<string, string>({ ...PATIENT, ...options })
}

describe("worker thread requests", () => {
  test("[BASE-19] the same thread answers one request after the other", async () => {
    await using thread = echo()
    expect(await thread.ask("one")).toEqual({ kind: "answered", answer: "one" })
    expect(await thread.ask("two")).toEqual({ kind: "answered", answer: "two" })
  })

  test("[BASE-19] two concurrent requests are a bug", async () => {
    await using thread = echo()
    const first = thread.ask("one")
    await expect(thread.ask("two")).rejects.toThrow("one request at a time")
    expect(await first).toEqual({ kind: "answered", answer: "one" })
  })

  test("[BASE-19] an exception in the thread is the response, and the thread continues", async () => {
    await using thread = echo()
    expect(await thread.ask("throw no-water")).toEqual({ kind: "failed", reason: "no-water" })
    expect(await thread.ask("two")).toEqual({ kind: "answered", answer: "two" })
  })

  test.for([
    ["exit 3", { kind: "died", reason: "it exited with code 3" }],
    ["hoard", { kind: "died", reason: expect.stringContaining("memory") }],
  ] as const)("[BASE-19] after %j the next request gets a new thread", async ([word, answer]) => {
    await using thread = echo()
    expect(await thread.ask(word)).toEqual(answer)
    expect(await thread.ask("two")).toEqual({ kind: "answered", answer: "two" })
  })

  test("[BASE-19] a hanging thread is ended at its timeout", async () => {
    // Long enough for a start on a busy machine; the loop never ends by itself.
    await using thread = echo({ longestSilenceMs: 5_000 })
    expect(await thread.ask("loop")).toEqual({ kind: "silent" })
    expect(await thread.ask("two")).toEqual({ kind: "answered", answer: "two" })
  })

  test("[BASE-19] a thread that dies between two requests is noticed, and the process continues", async () => {
    await using thread = echo()
    await thread.ask("count")
    await thread.ask("later")
    // A new thread starts counting at 0; until then the old thread's count continues. The crash
    // happens between requests.
    for (let isNew = false; !isNew; ) {
      await systemClock.sleep(100)
      const answer = await thread.ask("count")
      isNew = answer.kind === "answered" && answer.answer === "1"
    }
    expect(await thread.ask("three")).toEqual({ kind: "answered", answer: "three" })
  })

  test("[BASE-19] a module that cannot be loaded is reported differently from a crash", async () => {
    await using thread = echo({ entry: new URL("./no-such-file.ts", import.meta.url) })
    expect(await thread.ask("one")).toMatchObject({ kind: "not-started" })
  })

  test("[BASE-19] the thread has neither our environment nor our flags", async () => {
    process.env["QM_CANARY"] = "ours"
    await using thread = echo()
    expect(await thread.ask("environment")).toEqual({ kind: "answered", answer: "[{},[]]" })
  })

  test("[BASE-19] the thread can be ended at any time and used again", async () => {
    await using thread = echo()
    await thread.end()
    await thread.ask("one")
    await thread.end()
    expect(await thread.ask("two")).toEqual({ kind: "answered", answer: "two" })
  })
})

test("a thread's computing time excludes its waiting time", async () => {
  const before = threadCpuMs()
  while (threadCpuMs() - before < 20) Math.hypot(before, 2)
  expect(threadCpuMs()).toBeGreaterThanOrEqual(before + 20)
  await using thread = echo({ longestSilenceMs: 2_000 })
  const asked = threadCpuMs()
  expect(await thread.ask("loop")).toEqual({ kind: "silent" })
  // The other thread looped for up to two seconds of its own time.
  expect(threadCpuMs() - asked).toBeLessThan(1_000)
})
