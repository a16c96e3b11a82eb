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
