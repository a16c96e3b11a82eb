import { visibleLine } from "../../base/format.ts"
import styles from "./path.module.css"

type PathProps = {
  readonly path: string
  /**
   * How many of the last path parts are the name: two where all files of a kind have the same name.
   */
  readonly nameParts?: 1 | 2
  /** On a phone, in a row that grows with its text. */
  readonly wraps?: boolean
}

export function Path({ path, nameParts = 1, wraps = false }: PathProps) {
  const shown = visibleLine(path)
  const last = slashBefore(shown, shown.length - 1)
  const cut = (nameParts === 2 ? slashBefore(shown, last) : last) + 1
  return (
    <span className={styles.path} data-wraps={wraps || undefined} title={shown}>
      <i>{shown.slice(0, cut)}</i>
      <b>{shown.slice(cut)}</b>
    </span>
  )
}

function slashBefore(path: string, end: number): number {
  return end <= 0 ? -1 : path.lastIndexOf("/", end - 1)
}
