import type { ReactNode } from "react"
import styles from "./two-columns.module.css"

type TwoColumnsProps = {
  /** The column that keys act on; where only one fits, the visible one. */
  readonly active: "first" | "second"
  readonly tabs: ReactNode
  readonly first: ReactNode
  readonly second: ReactNode
  onEnter(side: "first" | "second"): void
}

export function TwoColumns({ active, tabs, first, second, onEnter }: TwoColumnsProps) {
  return (
    <div className={styles.pair}>
      <div className={styles.columns}>
        <div className={styles.tabs}>{tabs}</div>
        <div
          className={styles.side}
          data-shown={active === "first" || undefined}
          onFocus={() => onEnter("first")}
        >
          {first}
        </div>
        <div
          className={styles.side}
          data-shown={active === "second" || undefined}
          onFocus={() => onEnter("second")}
        >
          {second}
        </div>
      </div>
    </div>
  )
}

type ColumnFitProps = { readonly long: ReactNode; readonly short: ReactNode }

export function ColumnFit({ long, short }: ColumnFitProps) {
  return (
    <div>
      <div className={styles.long}>{long}</div>
      <div className={styles.short}>{short}</div>
    </div>
  )
}

export function OnlyTwoColumns({ children }: { readonly children: ReactNode }) {
  return <div className={styles["only-both"]}>{children}</div>
}
