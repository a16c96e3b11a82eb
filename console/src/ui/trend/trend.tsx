import styles from "./trend.module.css"

type TrendProps = {
  readonly values: readonly number[]
  /** The value at the top; the same scale makes rows comparable. */
  readonly top: number
  readonly label: string
}

const WIDTH = 116
const HEIGHT = 28

/** A line over equal steps, filled to the ground. */
export function Trend({ values, top, label }: TrendProps) {
  const step = WIDTH / Math.max(1, values.length - 1)
  const y = (value: number) => round((1 - Math.min(1, value / Math.max(1, top))) * (HEIGHT - 2) + 1)
  const shown = values.length === 1 ? [...values, ...values] : values
  const line = shown.map((it, i) => `${round(Math.min(WIDTH, i * step))} ${y(it)}`).join("L")
  return (
    <svg
      className={styles.trend}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className={styles.area} d={`M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z`} />
      <path className={styles.line} d={`M${line}`} />
    </svg>
  )
}

const round = (value: number) => Math.round(value * 10) / 10
