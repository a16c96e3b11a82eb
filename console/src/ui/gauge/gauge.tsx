import { cssPercent } from "../../base/format.ts"
import styles from "./gauge.module.css"

type GaugeBarProps = {
  readonly label: string
  readonly share: number
  readonly notch?: number
  /** It ended because the budget was used up. */
  readonly isOver?: boolean
}

export function GaugeBar({ label, share, notch, isOver = false }: GaugeBarProps) {
  return (
    <span
      className={styles.track}
      data-state={stateOf(share, notch, isOver)}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={Math.max(100, Math.round(share * 100))}
      aria-valuetext={label}
      title={label}
    >
      <i style={{ width: cssPercent(share) }} />
      {notch === undefined ? null : <u style={{ left: cssPercent(notch) }} />}
    </span>
  )
}

type GaugeProps = GaugeBarProps & {
  readonly used: string
  readonly total: string
}

export function Gauge({ used, total, ...bar }: GaugeProps) {
  return (
    <span className={styles.gauge}>
      <b>{used}</b>
      <GaugeBar {...bar} />
      <em>{total}</em>
    </span>
  )
}

function stateOf(share: number, notch: number | undefined, isOver: boolean) {
  if (isOver || share > 1) return "bad"
  return notch !== undefined && share >= notch ? "warn" : "neutral"
}
