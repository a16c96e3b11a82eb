import type { ReactNode } from "react"
import { visible } from "../../base/format.ts"
import styles from "./side-by-side.module.css"

export type Side = {
  readonly title: ReactNode
  readonly description: string
  readonly text: string
}

export function SideBySide({ left, right }: { readonly left: Side; readonly right: Side }) {
  return (
    <div className={styles.sides}>
      <OneSide side={left} other={right.text} label="First" />
      <OneSide side={right} other={left.text} label="Second" />
    </div>
  )
}

const MOST_LINES = 400

type OneSideProps = { readonly side: Side; readonly other: string; readonly label: string }

function OneSide({ side, other, label }: OneSideProps) {
  const lines = side.text.split("\n")
  const otherLines = new Set(other.split("\n"))
  const more = lines.length - MOST_LINES
  return (
    <div className={styles.side}>
      <p>
        {side.title} <span>{side.description}</span>
      </p>
      {side.text === "" ? null : (
        <section aria-label={`${label} output`} tabIndex={0}>
          {lines.slice(0, MOST_LINES).map((it, i) => (
            <div key={i} data-own={(it.trim() !== "" && !otherLines.has(it)) || undefined}>
              {visible(it)}
            </div>
          ))}
          {more > 0 ? <div>{more} more lines</div> : null}
        </section>
      )}
    </div>
  )
}
