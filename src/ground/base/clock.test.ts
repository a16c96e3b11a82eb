import { describe, expect, test } from "vitest"
import { systemClock } from "./clock.ts"

describe("the clock of the machine", () => {
  test("[BASE-3] now is the wall clock, monotonic time does not go back", async () => {
    const before = systemClock.monotonicMs()
    await systemClock.sleep(1)
    expect(systemClock.monotonicMs()).toBeGreaterThan(before)
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000)
  })

  test("[BASE-3] a sleep ends with an abort when it is told to", async () => {
    const controller = new AbortController()
    const sleeping = systemClock.sleep(60_000, controller.signal)
    controller.abort()
    await expect(sleeping).rejects.toMatchObject({ name: "AbortError" })
  })
})
