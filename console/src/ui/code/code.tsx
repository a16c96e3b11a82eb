import styles from "./code.module.css"

type CodeProps = { readonly text: string; readonly label: string }

/** More lines than this are no longer read here; the copy button takes them all. */
const MOST_LINES = 2_000

/** Text as it is, with line numbers; long lines wrap. */
export function Code({ text, label }: CodeProps) {
  const lines = text.split("\n")
  const hidden = lines.length - MOST_LINES
  return (
    // Focusable, because a scrolled area must be reachable by keys.
    <section className={styles.code} aria-label={label} tabIndex={0}>
      {lines.slice(0, MOST_LINES).map((line, i) => (
        <div key={`${i} ${line}`} className={styles.line}>
          <i>{i + 1}</i>
          <span>{line}</span>
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
