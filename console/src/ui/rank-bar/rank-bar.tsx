import styles from "./rank-bar.module.css"

export function RankBar({ share, label }: { readonly share: number; readonly label: string }) {
  const title = `${label} ${share.toFixed(2)}`
  return (
    <span
      className={styles.bar}
      role="img"
      aria-label={title}
      title={title}
      data-none={share <= 0 || undefined}
    >
      <i style={{ width: `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%` }} />
    </span>
  )
}
