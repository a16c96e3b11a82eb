import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from "react"
import styles from "./span-list.module.css"

type SpanLine = { readonly key: string; readonly label: string; readonly detail: string }

/** Positions of the first and the last selected line. */
export type Span = { readonly from: number; readonly to: number }

type SpanListProps = {
  readonly label: string
  readonly description: string
  readonly lines: readonly SpanLine[]
  readonly span: Span
  onSelect(span: Span): void
}

/**
 * One list in which a person selects consecutive lines: the first press sets the start, the second the
 * end. With the keyboard, arrows move the start and Shift with an arrow extends to it.
 */
export function SpanList({ label, description, lines, span, onSelect }: SpanListProps) {
  const id = useId()
  const [anchor, setAnchor] = useState(span.from)
  const [at, setAt] = useState(span.to)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: "nearest" })
  }, [at])
  const go = (to: number, isExtended: boolean): void => {
    setAt(to)
    if (!isExtended) setAnchor(to)
    onSelect(isExtended ? spanOf(anchor, to) : spanOf(to, to))
  }
  const press = (event: KeyboardEvent) => {
    const isAll = event.key === "a" && (event.ctrlKey || event.metaKey)
    const to = isAll ? lines.length - 1 : targetOf(event.key, at, lines.length)
    if (to === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (!isAll) return go(to, event.shiftKey)
    setAnchor(0)
    setAt(to)
    onSelect(spanOf(0, to))
  }
  // On a touch screen there is no Shift: the press after a single line extends it.
  const isStarted = span.from === span.to && span.from === anchor
  const pick = (index: number) => (event: MouseEvent) =>
    go(index, event.shiftKey || (isStarted && index !== anchor))
  return (
    <div className={styles.entry}>
      <span id={`${id}-label`} className={styles.label}>
        {label}
      </span>
      <div
        ref={list}
        className={styles.list}
        role="listbox"
        tabIndex={0}
        aria-multiselectable
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-says`}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={press}
      >
        {lines.map((it, index) => (
          <div
            key={it.key}
            id={`${id}-${index}`}
            className={styles.line}
            role="option"
            tabIndex={-1}
            aria-selected={index >= span.from && index <= span.to}
            data-active={index === at || undefined}
            data-at={index}
            onClick={pick(index)}
          >
            <span>{it.label}</span>
            <small title={it.detail}>{it.detail}</small>
            <b aria-hidden>{endName(index, span)}</b>
          </div>
        ))}
      </div>
      <p id={`${id}-says`} className={styles.description}>
        {description}
      </p>
    </div>
  )
}

export function spanOf(a: number, b: number): Span {
  return { from: Math.min(a, b), to: Math.max(a, b) }
}

export function targetOf(key: string, at: number, count: number): number | undefined {
  const last = count - 1
  switch (key) {
    case "ArrowDown":
      return Math.min(last, at + 1)
    case "ArrowUp":
      return Math.max(0, at - 1)
    case "Home":
      return 0
    case "End":
      return last
    default:
      return undefined
  }
}

function endName(index: number, { from, to }: Span): string {
  if (from === to) return index === from ? "only" : ""
  if (index === from) return "first"
  return index === to ? "last" : ""
}
