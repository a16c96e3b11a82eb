import { cssPercent } from "../../base/format.ts"
import styles from "./time-fall.module.css"

type TimeFallProps = {
  readonly wholeMs: number
  readonly fromMs: number
  readonly tookMs: number
  /** Time until the first byte; null if none came. */
  readonly waitedMs: number | null
  readonly tone?: "bad" | "warn" | undefined
  readonly bare?: boolean
}

export function TimeFall(props: TimeFallProps) {
  const { wholeMs, fromMs, tookMs, waitedMs, bare = false } = props
  const whole = Math.max(1, wholeMs)
  const waited = tookMs <= 0 ? 1 : Math.min(1, (waitedMs ?? tookMs) / tookMs)
  // A bar at the end is moved inside instead of leaving the chart.
  const left = Math.min(fromMs / whole, 1)
  const width = Math.min(tookMs / whole, 1 - left)
  return (
    <span className={styles.fall} data-bare={bare || undefined} aria-hidden="true">
      <span
        className={styles.span}
        data-tone={props.tone}
        style={{ left: `min(${cssPercent(left)}, calc(100% - 3px))`, width: cssPercent(width) }}
      >
        <i className={styles.wait} style={{ width: cssPercent(waited) }} />
      </span>
    </span>
  )
}
