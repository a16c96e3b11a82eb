import styles from "./donut.module.css"

type DonutProps = {
  readonly share: number
  readonly label: string
}

const RADIUS = 6.75
const ROUND = 2 * Math.PI * RADIUS

export function Donut({ share, label }: DonutProps) {
  const drawn = Math.min(1, Math.max(0, share)) * ROUND
  return (
    <svg
      className={styles.ring}
      data-state={stateOf(share)}
      viewBox="0 0 16 16"
      role="img"
      aria-label={label}
    >
      <circle className={styles.track} cx={8} cy={8} r={RADIUS} />
      <circle
        className={styles.arc}
        cx={8}
        cy={8}
        r={RADIUS}
        strokeDasharray={`${drawn.toFixed(2)} ${ROUND.toFixed(2)}`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  )
}

function stateOf(share: number): "neutral" | "warn" | "bad" {
  if (share >= 0.95) return "bad"
  return share >= 0.8 ? "warn" : "neutral"
}
