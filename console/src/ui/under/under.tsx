import type { KeyboardEvent, ReactNode } from "react"
import styles from "./under.module.css"

type UnderProps = {
  readonly label: string
  onLeave(): void
  readonly children: ReactNode
}

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
