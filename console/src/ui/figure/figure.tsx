import type { ReactNode } from "react"
import styles from "./figure.module.css"

type FigureProps = {
  /** The one number of the page; undefined while it is not known. */
  readonly value: string | undefined
  readonly says: string
  readonly facts: readonly { readonly value: string; readonly says: string }[]
  readonly children: ReactNode
  readonly aside?: string
}

export function Figure({ value, says, facts, children, aside }: FigureProps) {
  return (
    <div className={styles.figure} aria-busy={value === undefined}>
      <div className={styles.top}>
        {value === undefined ? <span className={styles.pending} /> : <b>{value}</b>}
        <span>{says}</span>
        <span className={styles.facts}>
          {facts.map((it) => (
            <span key={it.says}>
              <em>{it.value}</em> {it.says}
            </span>
          ))}
        </span>
      </div>
      {children}
      {aside === undefined ? null : <p className={styles.aside}>{aside}</p>}
    </div>
  )
}

export function FigureBarSkeleton() {
  return <div className={styles.bar} />
}
