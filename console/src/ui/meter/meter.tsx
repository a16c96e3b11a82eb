import { cssPercent } from "../../base/format.ts"
import styles from "./meter.module.css"

type MeterProps = { readonly share: number; readonly label: string }

export function Meter({ share, label }: MeterProps) {
  return (
    <div
      className={styles.meter}
      data-state={stateOf(share)}
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

function stateOf(share: number): "neutral" | "warn" | "bad" {
  if (share > 1) return "bad"
  return share >= 0.8 ? "warn" : "neutral"
}
