import type { ReactNode } from "react"
import { cssPercent } from "../../base/format.ts"
import styles from "./meter.module.css"

type MeterProps = {
  readonly share: number
  readonly label: string
  /** For a share that is not used up: by default 80 % is a warning. */
  readonly state?: "neutral" | "warn" | "bad"
}

export function Meter({ share, label, state = stateOf(share) }: MeterProps) {
  return (
    <div
      className={styles.meter}
      data-state={state}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuemin={0}
      aria-valuemax={Math.max(100, Math.round(share * 100))}
    >
      <i style={{ width: cssPercent(share) }} />
    </div>
  )
}

type MeterFigureProps = MeterProps & { readonly children: ReactNode }

/** A meter with its figure at the right; a phone shows the figure alone. */
export function MeterFigure({ children, ...meter }: MeterFigureProps) {
  return (
    <div className={styles.figure}>
      <Meter {...meter} />
      {children}
    </div>
  )
}

type ForecastMeterProps = {
  readonly value: number
  /** Drawn as a notch. */
  readonly limit: number | undefined
  /** Expected value at the end, drawn as an outline. */
  readonly forecast: number | null
  readonly label: string
}

/** Ends beyond the limit, so that a larger value still fits. */
const SCALE = 1.2

export function ForecastMeter({ value, limit, forecast, label }: ForecastMeterProps) {
  const expected = Math.max(value, forecast ?? 0)
  const whole = Math.max(SCALE * (limit ?? 0), expected, Number.MIN_VALUE)
  const at = (amount: number) => cssPercent(amount / whole)
  return (
    <div
      className={styles.forecast}
      data-state={stateOf(limit === undefined ? 0 : value / limit)}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.round((value / (limit ?? whole)) * 100)}
      aria-valuemin={0}
      aria-valuemax={Math.max(100, Math.round((value / (limit ?? whole)) * 100))}
    >
      <i style={{ width: at(value) }} />
      {forecast === null ? null : <u style={{ left: at(value), width: at(expected - value) }} />}
      {limit === undefined ? null : <b style={{ left: at(limit) }} />}
    </div>
  )
}

function stateOf(share: number): "neutral" | "warn" | "bad" {
  if (share > 1) return "bad"
  return share >= 0.8 ? "warn" : "neutral"
}
