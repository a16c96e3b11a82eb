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

/** A pointer that only passes opens nothing; one on its way into the list does not lose it. */
const REST_MS = 150
const LEAVE_MS = 250

const loadList = async () => (await import("./open-list.tsx")).OpenList

/** A short word in the page with the list behind it: by pointer, by focus and Enter, by touch. */
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
