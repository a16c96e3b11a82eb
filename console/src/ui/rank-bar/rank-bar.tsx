import { cssPercent, formatScore } from "../../base/format.ts"
import styles from "./rank-bar.module.css"

export function RankBar({ share, label }: { readonly share: number; readonly label: string }) {
  const title = `${label} ${formatScore(share)}`
  return (
    <span
      className={styles.bar}
      role="img"
      aria-label={title}
      title={title}
      data-none={share <= 0 || undefined}
    >
      <i style={{ width: cssPercent(share) }} />
    </span>
  )
}
