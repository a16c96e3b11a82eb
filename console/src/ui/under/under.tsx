import type { KeyboardEvent, ReactNode } from "react"
import styles from "./under.module.css"

type UnderProps = {
  readonly label: string
  /** Escape, while something in it has the focus. */
  onLeave(): void
  readonly children: ReactNode
}

/** What belongs to the row that is open: below its list, which keeps half of the pane. */
export function Under({ label, onLeave, children }: UnderProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return
    event.stopPropagation()
    onLeave()
  }
  return (
    <section className={styles.under} aria-label={label} onKeyDown={press}>
      {children}
    </section>
  )
}
