import type { ReactNode } from "react"
import { Icon } from "../icon/icon.tsx"
import styles from "./notice.module.css"

type NoticeProps = {
  readonly description: ReactNode
  readonly tone?: "warn"
  readonly children?: ReactNode
}

export function Notice({ description, tone, children }: NoticeProps) {
  return (
    <div className={styles.notice} data-tone={tone} role="status">
      <Icon name={tone === "warn" ? "warning" : "ask"} />
      <p>{description}</p>
      {children}
    </div>
  )
}
