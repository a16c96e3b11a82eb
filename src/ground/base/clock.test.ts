import { describe, expect, test } from "vitest"
import { createPause, systemClock } from "./clock.ts"

describe("systemClock", () => {
  test("[BASE-3] now() returns wall-clock time and monotonic time never goes back", async () => {
    const before = systemClock.monotonicMs()
    await systemClock.sleep(1)
    expect(systemClock.monotonicMs()).toBeGreaterThan(before)
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000)
  })

  test("[BASE-3] aborting the signal ends a sleep", async () => {
    const controller = new AbortController()
    const sleeping = systemClock.sleep(60_000, controller.signal)
    controller.abort()
    await expect(sleeping).rejects.toMatchObject({ name: "AbortError" })
  })
})

test("[BASE-47] pause gives others a turn in a loop of over 10 ms, and none in a short one", async () => {
  let turns = 0
  const others = () => {
    turns++
    if (turns < 1_000) setImmediate(others)
  }
  setImmediate(others)
  await createPause()()
  expect(turns).toBe(0)
  const pause = createPause()
  // A busy machine may take all of the 10 ms, and more, away from this process.
  const endMs = systemClock.monotonicMs() + 10_000
  while (turns === 0 && systemClock.monotonicMs() < endMs) await pause()
  expect(turns).toBeGreaterThan(0)
})
