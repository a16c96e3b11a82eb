import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react"
import styles from "../pane/pane.module.css"
import { recall, remember } from "../remember.ts"

type SplitProps = {
  readonly name: string
  readonly startPx?: number
  readonly list: ReactNode
  readonly detail: ReactNode | null
}

const NARROWEST_PX = 320
const WIDEST_PX = 880
/** One of the two widths of side panes in NOTES: for detail, peek and preview. */
const DEFAULT_PX = 392
const STEP_PX = 16

export function Split({ name, startPx = DEFAULT_PX, list, detail }: SplitProps) {
  const [width, setWidth] = useState(() => widthFrom(recall(`split.${name}`), startPx))
  const resize = (px: number) => {
    const next = withinBounds(px)
    setWidth(next)
    remember(`split.${name}`, String(next))
  }
  return (
    <div
      className={styles.split}
      data-detail={detail === null ? "none" : "shown"}
      style={{ "--detail": `${width}px` }}
    >
      {list}
      {detail === null ? null : (
        <>
          <Divider width={width} startPx={startPx} onResize={resize} />
          {detail}
        </>
      )}
    </div>
  )
}

type DividerProps = {
  readonly width: number
  readonly startPx: number
  readonly onResize: (px: number) => void
}

function Divider({ width, startPx, onResize }: DividerProps) {
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const right = event.currentTarget.parentElement?.getBoundingClientRect().right ?? 0
    onResize(right - event.clientX)
  }
  const move = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: STEP_PX, ArrowRight: -STEP_PX }[event.key]
    if (steps === undefined) return
    event.preventDefault()
    onResize(width + steps)
  }
  return (
    // WAI-ARIA 1.2 defines a movable divider as a focusable separator.
    <div
      className={styles.divider}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the detail"
      aria-valuenow={width}
      aria-valuemin={NARROWEST_PX}
      aria-valuemax={WIDEST_PX}
      tabIndex={0}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={move}
      onDoubleClick={() => onResize(startPx)}
    />
  )
}

function widthFrom(remembered: string | null, startPx: number): number {
  const px = Number(remembered)
  return Number.isFinite(px) && px > 0 ? withinBounds(px) : startPx
}

function withinBounds(px: number): number {
  return Math.round(Math.min(WIDEST_PX, Math.max(NARROWEST_PX, px)))
}
