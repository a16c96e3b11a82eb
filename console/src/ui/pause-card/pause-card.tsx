import { type KeyboardEvent, type ReactNode, type Ref, useId } from "react"
import { KeyHint, useKey } from "../keys/keys.tsx"
import { StatusMark } from "../status-mark/status-mark.tsx"
import styles from "./pause-card.module.css"

export type PauseChoice = {
  readonly word: string
  readonly description: string
  readonly keyId: string
  readonly isOn?: boolean
  onPick(): void
}

type PauseCardProps = {
  readonly title: string
  readonly question: string
  readonly aside: string
  readonly lines: readonly { readonly text: string; readonly note: string }[]
  readonly choices: readonly PauseChoice[]
  readonly isOff: boolean
  readonly children?: ReactNode
}

export function PauseCard(props: PauseCardProps) {
  const id = useId()
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.top}>
        <StatusMark status="paused" />
        <h2 id={id}>{props.title}</h2>
        <p>{props.question}</p>
        <span>{props.aside}</span>
      </div>
      {props.lines.length === 0 ? null : (
        <ol className={styles.lines}>
          {props.lines.map((it, i) => (
            <li key={`${i} ${it.text}`}>
              <span>{it.text}</span>
              <em>{it.note}</em>
            </li>
          ))}
        </ol>
      )}
      {props.children}
      {props.choices.length === 0 ? null : (
        <div className={styles.choices} style={{ "--count": props.choices.length }}>
          {props.choices.map((it) => (
            <Choice key={it.keyId} choice={it} isOff={props.isOff} />
          ))}
        </div>
      )}
    </section>
  )
}

function Choice({ choice, isOff }: { readonly choice: PauseChoice; readonly isOff: boolean }) {
  useKey(choice.keyId, isOff ? undefined : choice.onPick)
  return (
    <button
      type="button"
      className={styles.choice}
      data-on={choice.isOn || undefined}
      disabled={isOff}
      onClick={(event) => {
        // Inside a transcript a click also selects the row, which would stop following the end.
        event.stopPropagation()
        choice.onPick()
      }}
    >
      <KeyHint id={choice.keyId} />
      <b>{choice.word}</b>
      <small>{choice.description}</small>
    </button>
  )
}

type PauseFieldProps = {
  readonly label: string
  readonly value: string
  readonly problem: string | undefined
  readonly actions: ReactNode
  readonly ref?: Ref<HTMLTextAreaElement>
  onChange(text: string): void
  onCommit(): void
  onCancel(): void
}

export function PauseField(props: PauseFieldProps) {
  const id = useId()
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      props.onCommit()
    }
    if (event.key !== "Escape") return
    event.stopPropagation()
    props.onCancel()
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{props.label}</label>
      <textarea
        ref={props.ref}
        id={id}
        rows={3}
        value={props.value}
        aria-invalid={props.problem !== undefined}
        aria-describedby={`${id}-problem`}
        onChange={(event) => props.onChange(event.target.value)}
        onKeyDown={press}
      />
      {props.problem === undefined ? null : (
        <p id={`${id}-problem`} role="alert">
          {props.problem}
        </p>
      )}
      <div className={styles.actions}>{props.actions}</div>
    </div>
  )
}
