import { useVirtualizer } from "@tanstack/react-virtual"
import { type KeyboardEvent, type Ref, useEffect, useImperativeHandle, useRef } from "react"
import { sliceText } from "#ground/base/truncate"
import { visible } from "../../base/format.ts"
import styles from "./lines.module.css"

export type LinesHandle = { focus(): void }

type LinesProps = {
  readonly label: string
  readonly lines: readonly string[]
  readonly marked: ReadonlySet<number>
  /** The line to scroll to; null to stay. */
  readonly at: number | null
  isStrong?(line: string): boolean
  onLeave?(): void
  readonly ref?: Ref<LinesHandle>
}

/** These keys scroll the text while it has the focus, whatever else they do on the page. */
const SCROLLING = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "]

const LINE_PX = 18
const OVERSCAN_LINES = 30
const MOST_CHARACTERS = 2_000

export function Lines({ label, lines, marked, at, isStrong, onLeave, ref }: LinesProps) {
  const box = useRef<HTMLElement>(null)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: OVERSCAN_LINES,
  })
  useEffect(() => {
    if (at !== null) virtual.scrollToIndex(at, { align: "center" })
  }, [virtual, at])
  useImperativeHandle(ref, () => ({ focus: () => box.current?.focus() }))
  const press = (event: KeyboardEvent) => {
    if (SCROLLING.includes(event.key) && !event.altKey) event.stopPropagation()
    if (event.key !== "Escape" || onLeave === undefined) return
    event.stopPropagation()
    onLeave()
  }
  return (
    <section ref={box} className={styles.box} aria-label={label} tabIndex={0} onKeyDown={press}>
      <div className={styles.canvas} style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index] ?? ""
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className={styles.line}
              data-marked={marked.has(index) || undefined}
              data-strong={isStrong?.(line) || undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <i>{index + 1}</i>
              <span>{cut(visible(line))}</span>
            </div>
          )
        })}
      </div>
    </section>
  )
}

function cut(line: string): string {
  if (line.length <= MOST_CHARACTERS) return line
  return `${sliceText(line, MOST_CHARACTERS - 40)} … ${line.length - MOST_CHARACTERS + 40} more characters`
}
