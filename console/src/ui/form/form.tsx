import { type ReactNode, useEffect, useRef } from "react"
import { Text } from "../text/text.tsx"
import styles from "./form.module.css"

type FormRowProps = {
  readonly name: string
  readonly href?: string
  readonly description: string
  readonly isSelected?: boolean
  readonly wide?: boolean
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function FormRow({
  name,
  href,
  description,
  isSelected,
  wide,
  aside,
  children,
}: FormRowProps) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isSelected === true) row.current?.scrollIntoView({ block: "nearest" })
  }, [isSelected])
  return (
    <div
      ref={row}
      className={styles.row}
      data-selected={isSelected || undefined}
      data-wide={wide || undefined}
    >
      <div className={styles.name}>
        {href === undefined ? (
          name
        ) : (
          <a href={href} aria-current={isSelected ? "true" : undefined}>
            <Text mono>{name}</Text>
          </a>
        )}
        <p>{description}</p>
      </div>
      <div>{children}</div>
      {wide === true ? null : <div className={styles.aside}>{aside}</div>}
    </div>
  )
}
