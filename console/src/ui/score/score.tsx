import type { MouseEvent } from "react"
import { cssPercent, formatScore } from "../../base/format.ts"
import styles from "./score.module.css"

export function Score({ share }: { readonly share: number }) {
  return (
    <span className={styles.score}>
      {formatScore(share)}
      <span className={styles.track} aria-hidden="true">
        <i style={{ width: cssPercent(share) }} />
      </span>
    </span>
  )
}

type TickProps = { readonly isOn: boolean; onPress(): void }

/**
 * Whether a row is selected. An option may not contain controls, so this is for the pointer only:
 * keys and the buttons above the list do the same, and the row's label says it.
 */
export function Tick({ isOn, onPress }: TickProps) {
  const press = (event: MouseEvent) => {
    event.stopPropagation()
    onPress()
  }
  return (
    <span className={styles.tick} data-on={isOn || undefined} aria-hidden="true" onClick={press}>
      {isOn ? (
        <svg viewBox="0 0 16 16">
          <path d="m3.25 8.5 3.25 3.25 6.25-7.5" />
        </svg>
      ) : null}
    </span>
  )
}
