import { visible } from "../../base/format.ts"
import styles from "./diff.module.css"

export type DiffLine = {
  readonly sign: " " | "+" | "-"
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly text: string
}

const MOST_LINES = 2_000
const WORDS = { " ": "", "+": "added", "-": "removed" } as const

export function DiffLines({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  const hidden = lines.length - MOST_LINES
  return (
    <section className={styles.diff} aria-label={label} tabIndex={0}>
      {lines.slice(0, MOST_LINES).map((it, i) => (
        <div key={`${i} ${it.sign}`} className={styles.line} data-sign={it.sign}>
          <i>{it.before}</i>
          <i>{it.after}</i>
          <b aria-label={WORDS[it.sign]}>{it.sign === "-" ? "−" : it.sign}</b>
          <span>{visible(it.text)}</span>
        </div>
      ))}
      {hidden > 0 ? <p className={styles.more}>{hidden} more lines are not shown</p> : null}
    </section>
  )
}

type DiffBoxProps = {
  readonly title: string
  readonly label: string
  readonly lines: readonly DiffLine[]
}

/** A short change inside other content, without line numbers. */
export function DiffBox({ title, label, lines }: DiffBoxProps) {
  return (
    <div className={styles.box}>
      <p>{title}</p>
      <DiffLines lines={lines} label={label} />
    </div>
  )
}
