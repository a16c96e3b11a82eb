import type { MouseEvent } from "react"
import styles from "./score.module.css"

/** How much of 1, as a figure and as a length below it. */
export function Score({ share }: { readonly share: number }) {
  return (
    <span className={styles.score}>
      {share.toFixed(2)}
      <span className={styles.track} aria-hidden="true">
        <i style={{ width: `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%` }} />
      </span>
    </span>
  )
}

type TickProps = { readonly isOn: boolean; onPress(): void }

/**
 * Whether a row is taken, drawn in it. An option may hold no control of its own: a pointer presses
 * here, keys and the buttons above the list do the same, and the row says it in words.
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
