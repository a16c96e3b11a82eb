import { useEffect, useState } from "react"

export type Clock = {
  now(): number
  after(ms: number, act: () => void): () => void
}

export const browserClock: Clock = {
  // oxlint-disable-next-line no-restricted-properties -- this is the injected clock itself
  now: () => Date.now(),
  after(ms, act) {
    const timer = window.setTimeout(act, ms)
    return () => window.clearTimeout(timer)
  },
}

/**
 * The value after it did not change for `ms`, so that typing sends one request, not one per letter.
 */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => browserClock.after(ms, () => setSettled(value)), [value, ms])
  return settled
}

/** The time of each second while something runs. */
export function useSeconds(isRunning: boolean, now: number): number {
  const [tick, setTick] = useState(now)
  useEffect(() => {
    if (!isRunning) return
    let callOff = () => {}
    const next = () => {
      setTick(browserClock.now())
      callOff = browserClock.after(1_000, next)
    }
    callOff = browserClock.after(0, next)
    return () => callOff()
  }, [isRunning])
  return isRunning ? Math.max(tick, now) : now
}
