import { useEffect, useState } from "react"
import { browserClock } from "./clock.ts"

/** The value as it was when it last stood still: what is typed is asked for once, not per letter. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => browserClock.after(ms, () => setSettled(value)), [value, ms])
  return settled
}
