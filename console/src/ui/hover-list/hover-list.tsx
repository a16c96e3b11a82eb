import { type ReactNode, useEffect, useRef, useState } from "react"
import { useLater } from "../use-later.ts"
import styles from "./hover-list.module.css"

export type HoverLine = {
  readonly key: string
  readonly lead: ReactNode
  readonly description: string
  readonly tone?: "warn"
}

type HoverListProps = {
  readonly title: string
  readonly lines: readonly HoverLine[]
  readonly foot?: string
  readonly children: ReactNode
}

/** A passing pointer opens nothing, and one moving into the list does not close it. */
const REST_MS = 150
const LEAVE_MS = 250

const loadList = async () => (await import("./open-list.tsx")).OpenList

/** A short text with a list behind it: by pointer, focus and Enter, or touch. */
export function HoverList({ title, lines, foot, children }: HoverListProps) {
  const [shown, setShown] = useState<"no" | "hovered" | "pressed">("no")
  const trigger = useRef<HTMLButtonElement>(null)
  const timer = useRef(0)
  const { part: OpenList, want } = useLater(loadList)
  const later = (ms: number, act: () => void) => {
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(act, ms)
  }
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const enter = () => {
    if (shown === "no") later(REST_MS, () => want(() => setShown("hovered")))
    else window.clearTimeout(timer.current)
  }
  const leave = () => later(LEAVE_MS, () => setShown((it) => (it === "hovered" ? "no" : it)))
  const press = () => {
    window.clearTimeout(timer.current)
    want(() => setShown("pressed"))
  }
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={styles.trigger}
        aria-haspopup="dialog"
        aria-expanded={shown !== "no"}
        onClick={press}
        onMouseEnter={enter}
        onMouseLeave={leave}
      >
        {children}
      </button>
      {OpenList === undefined || shown === "no" ? null : (
        <OpenList
          title={title}
          lines={lines}
          {...(foot === undefined ? {} : { foot })}
          takesFocus={shown === "pressed"}
          trigger={trigger}
          onEnter={enter}
          onLeave={leave}
          onClose={() => setShown("no")}
        />
      )}
    </>
  )
}
