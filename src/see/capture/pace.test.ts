import { expect, test } from "vitest"
import { PAUSE_AFTER_BYTES } from "./limits.ts"
import { createPace } from "./pace.ts"

test("[CAPTURE-19] large work rests now and then, and ends when the call has ended", async () => {
  const call = new AbortController()
  let rests = 0
  const pace = createPace({
    signal: call.signal,
    rest: async () => {
      rests++
      if (rests === 2) call.abort(new Error("the call has ended"))
    },
  })
  await pace(PAUSE_AFTER_BYTES - 1)
  expect(rests).toBe(0)
  await pace(1)
  expect(rests).toBe(1)
  await expect(pace(PAUSE_AFTER_BYTES)).rejects.toThrow("the call has ended")
})
