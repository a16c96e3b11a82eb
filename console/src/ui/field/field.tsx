import { type KeyboardEvent, useId, useRef, useState } from "react"
import { classNames } from "../class-names.ts"
import { Icon } from "../icon/icon.tsx"
import { KeyHint, useKey } from "../keys/keys.tsx"
import { ChoiceMenu } from "../menu/menu.tsx"
import styles from "./field.module.css"

type FilterFieldProps = {
  readonly label: string
  readonly value: string
  onChange(value: string): void
  onLeave?(): void
}

/** `/` focuses it; Escape first clears it, then leaves it. */
export function FilterField({ label, value, onChange, onLeave }: FilterFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  useKey("filter", () => input.current?.focus())
  const leave = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault()
      event.currentTarget.blur()
      onLeave?.()
    }
    if (event.key !== "Escape") return
    event.stopPropagation()
    if (value === "") event.currentTarget.blur()
    else onChange("")
  }
  return (
    <div className={styles.filter}>
      <Icon name="search" />
      <input
        ref={input}
        className={styles.input}
        type="text"
        value={value}
        placeholder={label}
        aria-label={label}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={leave}
      />
      {value === "" ? (
        <span className={styles.hint}>
          <KeyHint id="filter" />
        </span>
      ) : null}
    </div>
  )
}

type TextFieldProps = {
  readonly label: string
  readonly value: string
  readonly kind?: "text" | "number" | "secret"
  readonly placeholder?: string
  readonly disabled?: boolean
  check?(text: string): string | undefined
  onCommit(text: string): void
}

export function TextField(props: TextFieldProps) {
  const { label, value, kind = "text", disabled = false, check, onCommit } = props
  const [draft, setDraft] = useState<string | null>(null)
  const text = draft ?? value
  const problem = draft === null || draft === value ? undefined : check?.(draft)
  const commit = () => {
    if (draft === null || draft === value || problem !== undefined) return
    setDraft(null)
    onCommit(draft)
  }
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") commit()
    if (event.key !== "Escape" || draft === null) return
    event.stopPropagation()
    setDraft(null)
  }
  return (
    <div>
      <input
        className={classNames(styles.input, styles.mono)}
        type={kind === "secret" ? "password" : "text"}
        inputMode={kind === "number" ? "numeric" : "text"}
        value={text}
        placeholder={props.placeholder}
        aria-label={label}
        aria-invalid={problem !== undefined}
        disabled={disabled}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={press}
        onBlur={() => (problem === undefined ? commit() : setDraft(null))}
      />
      {problem === undefined ? null : (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

type Choice = {
  readonly value: string
  readonly label: string
  /** Why it cannot be chosen. */
  readonly problem?: string | undefined
}

type ChoiceFieldProps = {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly value: string
  readonly disabled?: boolean
  readonly small?: boolean
  onPick(value: string): void
}

/** With more than five options a menu is as fast as a row of buttons. */
const MOST_SEGMENTS = 5

export function ChoiceField(props: ChoiceFieldProps) {
  const { label, choices, value, disabled = false, onPick } = props
  // Two fields with one label on a page must not share their selection.
  const name = useId()
  if (choices.length > MOST_SEGMENTS) {
    return (
      <ChoiceMenu
        label={label}
        boxed={props.small === true ? "small" : "field"}
        choices={choices}
        value={value}
        disabled={disabled}
        onPick={onPick}
      >
        {choices.find((it) => it.value === value)?.label ?? value}
      </ChoiceMenu>
    )
  }
  return (
    <div
      className={styles.choice}
      data-small={props.small || undefined}
      role="radiogroup"
      aria-label={label}
    >
      {choices.map((it) => (
        <label key={it.value} title={it.problem}>
          <input
            type="radio"
            name={name}
            value={it.value}
            checked={it.value === value}
            disabled={disabled || it.problem !== undefined}
            onChange={() => onPick(it.value)}
          />
          {it.label}
        </label>
      ))}
    </div>
  )
}

export type Swatch = {
  readonly name: string
  readonly colours: Readonly<Record<"canvas" | "surface" | "text" | "text-3" | "accent", string>>
}

type SwatchFieldProps = {
  readonly label: string
  readonly swatches: readonly Swatch[]
  readonly value: string
  onPick(name: string): void
}

export function SwatchField({ label, swatches, value, onPick }: SwatchFieldProps) {
  return (
    <div className={styles.swatches} role="radiogroup" aria-label={label}>
      {swatches.map(({ name, colours }) => (
        <label key={name} className={styles.swatch}>
          <input type="radio" name={label} checked={name === value} onChange={() => onPick(name)} />
          <div
            className={styles.sample}
            style={{
              "--sample-canvas": colours.canvas,
              "--sample-surface": colours.surface,
              "--sample-text": colours.text,
              "--sample-text-3": colours["text-3"],
              "--sample-accent": colours.accent,
            }}
          >
            <i />
            <span>
              <b />
              <b />
              <b />
            </span>
          </div>
          {name}
        </label>
      ))}
    </div>
  )
}
