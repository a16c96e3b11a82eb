import { useEffect, useState } from "react"

export type Clock = {
  now(): number
  /** Calls once after so many milliseconds; returns how to call it off. */
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

/** The value as it was when it last stood still: what is typed is asked for once, not per letter. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => browserClock.after(ms, () => setSettled(value)), [value, ms])
  return settled
}
