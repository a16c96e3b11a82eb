import styles from "./time-fall.module.css"

type TimeFallProps = {
  readonly wholeMs: number
  readonly fromMs: number
  readonly tookMs: number
  /** Of it, until the first byte came; null when none did. */
  readonly waitedMs: number | null
  readonly tone?: "bad" | "warn" | undefined
  /** Without grid lines, under a line of text. */
  readonly bare?: boolean
}

export function TimeFall(props: TimeFallProps) {
  const { wholeMs, fromMs, tookMs, waitedMs, bare = false } = props
  const whole = Math.max(1, wholeMs)
  const waited = tookMs <= 0 ? 1 : Math.min(1, (waitedMs ?? tookMs) / tookMs)
  // What is at the end is pushed inside rather than drawn beyond the edge.
  const left = Math.min(fromMs / whole, 1)
  const width = Math.min(tookMs / whole, 1 - left)
  return (
    <span className={styles.fall} data-bare={bare || undefined} aria-hidden="true">
      <span
        className={styles.span}
        data-tone={props.tone}
        style={{ left: `min(${percent(left)}, calc(100% - 3px))`, width: percent(width) }}
      >
        <i className={styles.wait} style={{ width: percent(waited) }} />
      </span>
    </span>
  )
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`
}
