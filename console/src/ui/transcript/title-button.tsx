import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react"
import styles from "./title-button.module.css"

type TitleButtonProps = {
  readonly label: string
  onPress(): void
  readonly children: ReactNode
}

export function TitleButton({ label, onPress, children }: TitleButtonProps) {
  return (
    <button type="button" className={styles.title} title={label} onClick={onPress}>
      {children}
    </button>
  )
}

type PromptFieldProps = {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  onCommit(text: string): void
  onCancel(): void
}

export function PromptField({ label, value, placeholder, onCommit, onCancel }: PromptFieldProps) {
  const [draft, setDraft] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.select(), [])
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") onCommit(draft)
    if (event.key !== "Escape") return
    event.stopPropagation()
    onCancel()
  }
  return (
    <input
      ref={input}
      className={styles.field}
      type="text"
      value={draft}
      placeholder={placeholder}
      aria-label={label}
      autoComplete="off"
      onChange={(event) => setDraft(event.target.value)}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={press}
      onBlur={onCancel}
    />
  )
}
