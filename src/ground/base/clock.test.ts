import { describe, expect, test } from "vitest"
import { systemClock } from "./clock.ts"

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
