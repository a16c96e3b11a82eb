import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react"
import { classNames } from "../class-names.ts"
import { useKey } from "../keys/keys.tsx"
import styles from "./editable-text.module.css"

type EditableTextBoxProps = { readonly variant?: "start"; readonly children: ReactNode }

export function EditableTextBox({ variant, children }: EditableTextBoxProps) {
  return <div className={classNames(styles.brief, variant && styles[variant])}>{children}</div>
}

type EditableTextProps = {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly keyId?: string
  /** The problem of a text, or undefined; a text with a problem is not committed. */
  check?(text: string): string | undefined
  readonly waits?: boolean
  onDraft?(text: string): void
  onCommit(text: string): void
}

export function EditableText(props: EditableTextProps) {
  const { label, value, keyId = "", check, onDraft, onCommit } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [draft, setDraft] = useState<string | null>(null)
  useKey(keyId, keyId === "" ? undefined : () => area.current?.focus())
  const problem = draft === null ? undefined : check?.(draft)
  const write = (text: string | null) => {
    setDraft(text)
    onDraft?.(text ?? value)
  }
  const commit = () => {
    if (draft === null || problem !== undefined) return
    setDraft(null)
    if (draft !== value) onCommit(draft)
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter that ends an input method composition is not a commit.
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      commit()
      if (problem === undefined) event.currentTarget.blur()
    }
    if (event.key !== "Escape") return
    event.stopPropagation()
    write(null)
    event.currentTarget.blur()
  }
  return (
    <div>
      <textarea
        ref={area}
        className={styles.text}
        rows={1}
        value={draft ?? value}
        placeholder={props.placeholder}
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => write(event.target.value)}
        onKeyDown={press}
        onBlur={props.waits === true ? undefined : commit}
      />
      {problem === undefined ? null : (
        <p id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

export function EditableFields({ children }: { readonly children: ReactNode }) {
  return <div className={styles.fields}>{children}</div>
}

type EditableFieldProps = { readonly label: string; readonly children: ReactNode }

export function EditableField({ label, children }: EditableFieldProps) {
  return (
    <div className={styles.field}>
      <span aria-hidden="true">{label}</span>
      {children}
    </div>
  )
}

export type TextFact = {
  readonly name: string
  readonly title?: string
  readonly value: ReactNode
}

export function TextFacts({ facts }: { readonly facts: readonly TextFact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, title, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={title}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
