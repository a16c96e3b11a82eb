import type { ReactNode } from "react"
import { visible } from "../../base/format.ts"
import { classNames } from "../class-names.ts"
import styles from "./transcript.module.css"

export function Box({ tone, children }: { tone?: "warn" | undefined; children: ReactNode }) {
  return (
    <div className={styles.box} data-tone={tone}>
      {children}
    </div>
  )
}

export function BoxTop({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={styles.top}>
      {children}
      <span className={styles.grow} />
      {aside}
    </div>
  )
}

export function BoxFoot({ children, aside }: { children: ReactNode; aside?: ReactNode }) {
  return (
    <div className={styles.foot}>
      {children}
      {aside === undefined ? null : (
        <>
          <span className={classNames(styles.grow, styles.wide)} />
          <span className={styles.wide}>{aside}</span>
        </>
      )}
    </div>
  )
}

export function BoxBody({ children }: { readonly children: ReactNode }) {
  return <div className={styles.padded}>{children}</div>
}

export function BoxCode({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <section className={styles.code} aria-label={label} tabIndex={0}>
      {visible(text)}
    </section>
  )
}

export function BoxDiff({ children }: { readonly children: ReactNode }) {
  return <div className={styles.diff}>{children}</div>
}

export function Changes({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className={styles.counts}>
      <span className={styles.plus}>+{added}</span> <span className={styles.minus}>−{removed}</span>
    </span>
  )
}
