import type { ReactNode } from "react"
import styles from "./figure.module.css"

type FigureProps = {
  readonly value: string | undefined
  readonly description: string
  readonly facts: readonly { readonly value: string; readonly description: string }[]
  readonly children: ReactNode
  readonly aside?: string
  readonly below?: ReactNode
}

export function Figure({ value, description, facts, children, aside, below }: FigureProps) {
  return (
    <div className={styles.figure} aria-busy={value === undefined}>
      <div className={styles.top}>
        {value === undefined ? <span className={styles.pending} /> : <b>{value}</b>}
        <span>{description}</span>
        <span className={styles.facts}>
          {facts.map((it) => (
            <span key={it.description}>
              <em>{it.value}</em> {it.description}
            </span>
          ))}
        </span>
      </div>
      <div className={styles.body}>
        {children}
        {aside === undefined ? null : <p className={styles.aside}>{aside}</p>}
      </div>
      {below === undefined ? null : <div className={styles.below}>{below}</div>}
    </div>
  )
}

export function FigureBarSkeleton() {
  return <div className={styles.bar} />
}

type FigureLineProps = {
  readonly label: string
  readonly tokens: string
  readonly cost: string
  readonly costTitle?: string | undefined
  readonly kind?: "head" | "sum"
}

/** A label with tokens and cost in columns at its right. */
export function FigureLine({ label, tokens, cost, costTitle, kind }: FigureLineProps) {
  return (
    <div className={styles.line} data-kind={kind}>
      <span>{label}</span>
      <b>{tokens}</b>
      <b title={costTitle}>{cost}</b>
    </div>
  )
}
