import type { ReactNode } from "react"
import { Icon } from "../icon/icon.tsx"
import styles from "./notice.module.css"

type NoticeProps = {
  readonly says: ReactNode
  /** Something did not go as asked; without it the notice is an offer. */
  readonly tone?: "warn"
  readonly children?: ReactNode
}

export function Notice({ says, tone, children }: NoticeProps) {
  return (
    <div className={styles.notice} data-tone={tone} role="status">
      <Icon name={tone === "warn" ? "warning" : "ask"} />
      <p>{says}</p>
      {children}
    </div>
  )
}
