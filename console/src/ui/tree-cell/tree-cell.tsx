import type { ReactNode } from "react"
import { Icon } from "../icon/icon.tsx"
import styles from "./tree-cell.module.css"

type TreeCellProps = {
  readonly depth: number
  /** Null for a row without children; absent where rows of this kind cannot be opened. */
  readonly isOpen?: boolean | null
  readonly children: ReactNode
}

/** Deeper rows are not indented further, because the name would not fit. */
const DEEPEST_DRAWN = 12

export function TreeCell({ depth, isOpen, children }: TreeCellProps) {
  return (
    <div className={styles.twig}>
      {Array.from({ length: Math.min(depth, DEEPEST_DRAWN) }, (_, i) => (
        <span key={`guide ${i}`} className={styles.guide} />
      ))}
      {isOpen === undefined ? null : (
        <span className={styles.chevron}>
          {isOpen === null ? null : (
            <Icon name={isOpen ? "chevron-down" : "chevron-right"} size="small" />
          )}
        </span>
      )}
      <div className={styles.content}>{children}</div>
    </div>
  )
}
