import type { KeyboardEvent, ReactNode } from "react"
import styles from "./detail-below.module.css"

type DetailBelowProps = {
  readonly label: string
  onLeave(): void
  readonly children: ReactNode
}

export function DetailBelow({ label, onLeave, children }: DetailBelowProps) {
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
