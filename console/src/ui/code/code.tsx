import { visible } from "../../base/format.ts"
import styles from "./code.module.css"

type CodeProps = {
  readonly text: string
  readonly label: string
  readonly mark?: RegExp
}

/** The copy button copies all lines. */
const MOST_LINES = 2_000

export function Code({ text, label, mark }: CodeProps) {
  const lines = text.split(/\r?\n/)
  const hidden = lines.length - MOST_LINES
  return (
    // Focusable, because a scrollable area must be reachable by keyboard.
    <section className={styles.code} aria-label={label} tabIndex={0}>
      {lines.slice(0, MOST_LINES).map((line, i) => (
        <div key={`${i} ${line}`} className={styles.line}>
          <i>{i + 1}</i>
          <span>{mark === undefined ? visible(line) : markIn(visible(line), mark)}</span>
        </div>
      ))}
      {hidden > 0 ? (
        <div className={styles.line}>
          <i />
          <span>{hidden} more lines, copy to see them</span>
        </div>
      ) : null}
    </section>
  )
}

function markIn(line: string, mark: RegExp) {
  return line
    .split(mark)
    .map((part, i) => (i % 2 === 1 ? <em key={`${i} ${part}`}>{part}</em> : part))
}
