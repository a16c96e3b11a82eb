import { type ReactNode, type Ref, useId } from "react"
import styles from "./entry.module.css"

type EntryLook = {
  readonly label: string
  readonly description?: ReactNode
  readonly problem?: string | undefined
}

type TextEntryProps = EntryLook & {
  readonly value: string
  readonly placeholder?: string
  readonly kind?: "text" | "number"
  readonly mono?: boolean
  readonly ref?: Ref<HTMLInputElement>
  onChange(text: string): void
}

export function TextEntry(props: TextEntryProps) {
  const id = useId()
  const { kind = "text", mono = false, onChange } = props
  return (
    <Labelled id={id} {...props}>
      <input
        ref={props.ref}
        id={id}
        className={styles.input}
        type="text"
        inputMode={kind === "number" ? "decimal" : "text"}
        data-mono={mono || undefined}
        value={props.value}
        placeholder={props.placeholder}
        aria-invalid={props.problem !== undefined}
        aria-describedby={`${id}-says`}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    </Labelled>
  )
}

type AreaEntryProps = Omit<TextEntryProps, "kind" | "ref"> & {
  readonly rows: number
  readonly ref?: Ref<HTMLTextAreaElement>
}

export function AreaEntry(props: AreaEntryProps) {
  const id = useId()
  const { rows, mono = false, onChange } = props
  return (
    <Labelled id={id} {...props}>
      <textarea
        ref={props.ref}
        id={id}
        className={styles.area}
        rows={rows}
        data-mono={mono || undefined}
        value={props.value}
        placeholder={props.placeholder}
        aria-invalid={props.problem !== undefined}
        aria-describedby={`${id}-says`}
        onChange={(event) => onChange(event.target.value)}
      />
    </Labelled>
  )
}

type LabelledProps = EntryLook & { readonly id: string; readonly children: ReactNode }

function Labelled({ id, label, description, problem, children }: LabelledProps) {
  return (
    <div className={styles.entry}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children}
      <Below id={`${id}-says`} description={description} problem={problem} />
    </div>
  )
}

function Below({ id, description, problem }: Omit<LabelledProps, "label" | "children">) {
  if (problem !== undefined) {
    return (
      <p id={id} className={styles.problem} role="alert">
        {problem}
      </p>
    )
  }
  return description === undefined ? null : (
    <p id={id} className={styles.description}>
      {description}
    </p>
  )
}

type PickChoice = {
  readonly value: string
  readonly label: string
  readonly detail?: string
  readonly isMissing?: boolean
}

type PickEntryProps = EntryLook & {
  readonly choices: readonly PickChoice[]
  readonly value: string
  onPick(value: string): void
}

export function PickEntry({ label, description, problem, choices, value, onPick }: PickEntryProps) {
  const id = useId()
  return (
    <fieldset className={styles.entry} aria-describedby={`${id}-says`}>
      <legend className={styles.label}>{label}</legend>
      <div className={styles.picks}>
        {choices.map((it) => (
          <label key={it.value} className={styles.pick} data-missing={it.isMissing || undefined}>
            <input
              type="radio"
              name={id}
              value={it.value}
              checked={it.value === value}
              onChange={() => onPick(it.value)}
            />
            <span>{it.label}</span>
            <small title={it.detail}>{it.detail}</small>
          </label>
        ))}
      </div>
      <Below id={`${id}-says`} description={description} problem={problem} />
    </fieldset>
  )
}

export function EntryPair({ children }: { readonly children: ReactNode }) {
  return <div className={styles.pair}>{children}</div>
}

/** Stays in view at the end of the pane, however long the form is. */
export function EntryActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}

export function EntryForm({ children }: { readonly children: ReactNode }) {
  return <div className={styles.form}>{children}</div>
}
