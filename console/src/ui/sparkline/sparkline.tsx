import styles from "./sparkline.module.css"

type Bar = {
  readonly key: string
  readonly value: number
  readonly label: string
  /** Without any marked bar, the last one is. */
  readonly isMarked?: boolean
}

type SparklineProps = {
  readonly bars: readonly Bar[]
  readonly label: string
}

const BAR = 6
const GAP = 2
const HEIGHT = 24

/** One bar per day or size; the marked one is today or the current size. Values are in the text, so the picture has one label. */
export function Sparkline({ bars, label }: SparklineProps) {
  const most = Math.max(...bars.map((it) => it.value), 0)
  const width = bars.length * (BAR + GAP) - GAP
  return (
    <svg
      className={styles.sparkline}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      width={width}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      {bars.map(({ key, value, label: text, isMarked }, i) => {
        const height = most === 0 || value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT)
        return (
          <rect
            key={key}
            className={(isMarked ?? i === bars.length - 1) ? styles.marked : undefined}
            x={i * (BAR + GAP)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            rx={1}
          >
            <title>{text}</title>
          </rect>
        )
      })}
    </svg>
  )
}
