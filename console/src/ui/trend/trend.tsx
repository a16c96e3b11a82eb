import { cssPercent } from "../../base/format.ts"
import styles from "./trend.module.css"

type TrendProps = {
  readonly values: readonly number[]
  /** The value at the top; the same scale makes rows comparable. */
  readonly top: number
  readonly label: string
  readonly small?: boolean
}

const WIDTH = 116
const HEIGHT = 28

/** A line over equal steps, filled to the ground; a triangle marks each large drop. */
export function Trend({ values, top, label, small = false }: TrendProps) {
  const step = WIDTH / Math.max(1, values.length - 1)
  const y = (value: number) => round((1 - Math.min(1, value / Math.max(1, top))) * (HEIGHT - 7) + 6)
  const shown = values.length === 1 ? [...values, ...values] : values
  const line = shown.map((it, i) => `${round(Math.min(WIDTH, i * step))} ${y(it)}`).join("L")
  return (
    <div className={styles.trend} data-small={small || undefined} role="img" aria-label={label}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path className={styles.area} d={`M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}Z`} />
        <path className={styles.line} d={`M${line}`} />
      </svg>
      {dropsIn(values).map((at) => (
        <i key={at} style={{ left: cssPercent(at / Math.max(1, values.length - 1)) }} />
      ))}
    </div>
  )
}

const LINE_WIDTH = 84
const LINE_HEIGHT = 18

/** A line without area on its own scale, with a dot at its end. */
export function TrendLine({ values, label }: Pick<TrendProps, "label" | "values">) {
  const top = Math.max(Number.MIN_VALUE, ...values)
  const step = (LINE_WIDTH - 4) / Math.max(1, values.length - 1)
  const at = values.map(
    (it, i) => [round(2 + i * step), round(2 + (1 - it / top) * (LINE_HEIGHT - 4))] as const,
  )
  const [x, y] = at.at(-1) ?? [0, 0]
  return (
    <svg
      className={styles.plain}
      viewBox={`0 0 ${LINE_WIDTH} ${LINE_HEIGHT}`}
      width={LINE_WIDTH}
      height={LINE_HEIGHT}
      role="img"
      aria-label={label}
    >
      <path className={styles.line} d={`M${at.map((it) => it.join(" ")).join("L")}`} />
      <circle cx={x} cy={y} r={1.75} />
    </svg>
  )
}

/** A value below this share of the one before it is marked: the window was compacted. */
const DROP_SHARE = 0.6

/** Positions before a drop. */
export function dropsIn(values: readonly number[]): readonly number[] {
  return values.flatMap((it, i) => {
    const next = values[i + 1]
    return next !== undefined && next < it * DROP_SHARE ? [i] : []
  })
}

const round = (value: number) => Math.round(value * 10) / 10
