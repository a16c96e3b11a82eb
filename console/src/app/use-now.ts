import { useEffect, useState } from "react"
import type { Clock } from "../data/clock.ts"

export function useNow(clock: Clock, everyMs: number): number {
  const [now, setNow] = useState(() => clock.now())
  useEffect(() => clock.after(everyMs, () => setNow(clock.now())), [clock, everyMs, now])
  return now
}
