import { cssPercent } from "../../base/format.ts"
import styles from "./saving-bars.module.css"

type SavingBarsProps = {
  readonly label: string
  /** Shares of the same whole. */
  readonly promised: number
  readonly realised: number
  readonly isShort: boolean
}

/** The estimate as an outline and the measured saving as a bar, on one scale. */
export function SavingBars({ label, promised, realised, isShort }: SavingBarsProps) {
  return (
    <div className={styles.bars} role="img" aria-label={label}>
      <i className={styles.promised} style={{ width: cssPercent(promised) }} />
      <i data-short={isShort || undefined} style={{ width: cssPercent(realised) }} />
    </div>
  )
}
