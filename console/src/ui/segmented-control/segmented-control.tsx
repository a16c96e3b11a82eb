import type { MouseEvent } from "react"
import styles from "./segmented-control.module.css"

type SegmentedControlProps<Value extends string> = {
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly isChosen: boolean
  onPick(value: Value): void
}

/**
 * One of a few values per row. An option may not contain controls, so this is for the pointer only:
 * keys and the menu above the list do the same, and the row's label says it.
 */
export function SegmentedControl<Value extends string>({
  choices,
  value,
  isChosen,
  onPick,
}: SegmentedControlProps<Value>) {
  const press = (event: MouseEvent, picked: Value) => {
    event.stopPropagation()
    onPick(picked)
  }
  const on = isChosen ? "chosen" : "own"
  return (
    <span className={styles.seg} aria-hidden="true">
      {choices.map((it) => (
        <span
          key={it.value}
          data-on={it.value === value ? on : undefined}
          onClick={(event) => press(event, it.value)}
        >
          {it.label}
        </span>
      ))}
    </span>
  )
}
