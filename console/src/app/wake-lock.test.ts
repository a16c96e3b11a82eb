import { describe, expect, it } from "vitest"
import { createWakeLock } from "./wake-lock.ts"

function aLock() {
  const log: string[] = []
  const state = { isVisible: true, isRefused: false }
  const lock = createWakeLock({
    isVisible: () => state.isVisible,
    async request() {
      if (state.isRefused) throw new Error("battery")
      log.push("request")
      return { release: async () => void log.push("release") }
    },
  })
  return { lock, log, state }
}

describe("wake lock", () => {
  it("[CONSOLE-101] it is held exactly while it is wanted", async () => {
    const { lock, log } = aLock()
    await lock.want(false)
    await lock.want(true)
    await lock.want(true)
    await lock.want(false)
    expect(log).toEqual(["request", "release"])
  })

  it("[CONSOLE-101] a hidden page requests none, and a shown one requests it again", async () => {
    const { lock, log, state } = aLock()
    await lock.want(true)
    state.isVisible = false
    await lock.visibilityChanged()
    await lock.want(true)
    expect(log).toEqual(["request"])
    state.isVisible = true
    await lock.visibilityChanged()
    expect(log).toEqual(["request", "request"])
  })

  it("[CONSOLE-101] after a refusal the next look tries again", async () => {
    const { lock, log, state } = aLock()
    state.isRefused = true
    await lock.want(true)
    state.isRefused = false
    await lock.visibilityChanged()
    await Promise.all([lock.want(false), lock.want(true), lock.want(false)])
    expect(log).toEqual(["request", "release"])
  })
})
