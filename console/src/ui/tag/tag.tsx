import type { ReactNode } from "react"
import { Icon, type IconName } from "../icon/icon.tsx"
import styles from "./tag.module.css"

type TagProps = {
  readonly tone?: "ok" | "bad" | "warn"
  /** A dot before the text; the text names the same thing. */
  readonly colour?: string | undefined
  readonly children: ReactNode
}

export function Tag({ tone, colour, children }: TagProps) {
  return (
    <span className={styles.tag} data-tone={tone} data-colour={colour}>
      {children}
    </span>
  )
}

type TagButtonProps = { readonly icon: IconName; onPress(): void; readonly children: ReactNode }

export function TagButton({ icon, onPress, children }: TagButtonProps) {
  return (
    <button type="button" className={styles.button} onClick={onPress}>
      <Icon name={icon} size="small" />
      {children}
    </button>
  )
}
