import styles from "./sparkline.module.css"

type SparklineProps = {
  readonly bars: readonly { readonly key: string; readonly value: number; readonly label: string }[]
  readonly label: string
}

const BAR = 6
const GAP = 2
const HEIGHT = 24

/** One bar per day; the last one is today. Values are in the text, so the picture has one label. */
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
      {bars.map(({ key, value, label: text }, i) => {
        const height = most === 0 || value === 0 ? 1 : Math.max(2, (value / most) * HEIGHT)
        return (
          <rect
            key={key}
            className={i === bars.length - 1 ? styles.last : undefined}
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
