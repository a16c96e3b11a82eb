import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef } from "react"
import styles from "./tabs.module.css"

type Tab<Id extends string> = {
  readonly id: Id
  readonly label: string
  readonly note?: string
  readonly content: ReactNode
}

type TabsProps<Id extends string> = {
  readonly tabs: readonly Tab<Id>[]
  readonly active: Id
  onChange(id: Id): void
}

/**
 * Follows the WAI-ARIA tabs pattern. Written here because the library's component added 6 kB to the
 * first page of every list.
 */
export function Tabs<Id extends string>({ tabs, active, onChange }: TabsProps<Id>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const shown = tabs.find((it) => it.id === active)
  const move = (event: KeyboardEvent) => {
    const next = tabAfter(tabs, active, event.key)
    if (next === undefined) return
    event.preventDefault()
    onChange(next.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${tabs.indexOf(next)}"]`)?.focus()
  }
  return (
    <div className={styles.root}>
      <div className={styles.bar}>
        <div ref={list} className={styles.list} role="tablist" onKeyDown={move}>
          {tabs.map((it, i) => (
            <button
              key={it.id}
              type="button"
              role="tab"
              id={`${id}-${it.id}`}
              className={styles.tab}
              data-tab={i}
              data-active={it.id === active || undefined}
              aria-selected={it.id === active}
              aria-controls={`${id}-panel`}
              tabIndex={it.id === active ? 0 : -1}
              onClick={() => onChange(it.id)}
            >
              {it.label}
              {it.note === undefined ? null : <span>{it.note}</span>}
            </button>
          ))}
        </div>
      </div>
      {shown === undefined ? null : (
        <div
          key={shown.id}
          className={styles.panel}
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-${shown.id}`}
          tabIndex={0}
        >
          {shown.content}
        </div>
      )}
    </div>
  )
}

export function tabAfter<One extends { readonly id: string }>(
  tabs: readonly One[],
  active: string,
  key: string,
): One | undefined {
  const index = tabs.findIndex((it) => it.id === active)
  const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }[key]
  return to === undefined ? undefined : tabs.at(to % tabs.length)
}

export type Facet = {
  readonly value: string
  readonly label: string
  readonly count?: number | string | undefined
}

/** The ends of a narrow bar fade out over these pixels. */
const FADE_PX = { start: 12, end: 24 }

/** Scrolls the bar alone: `scrollIntoView` would also move the page. */
function showTab(bar: HTMLElement, value: string): void {
  const tab = [...bar.children].find(
    (it) => it instanceof HTMLElement && it.dataset.value === value,
  )
  if (tab === undefined) return
  const [box, { left, right }] = [bar.getBoundingClientRect(), tab.getBoundingClientRect()]
  const hidden = right - (box.right - FADE_PX.end)
  const before = left - (box.left + FADE_PX.start)
  if (before < 0) bar.scrollLeft += before
  else if (hidden > 0 && bar.scrollWidth > bar.clientWidth) bar.scrollLeft += hidden
}

type FacetsProps = {
  readonly label: string
  readonly facets: readonly Facet[]
  readonly active: string
  onPick(value: string): void
}

export function Facets({ label, facets, active, onPick }: FacetsProps) {
  const bar = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const box = bar.current
    if (box === null) return
    const observer = new ResizeObserver(() => showTab(box, active))
    observer.observe(box)
    return () => observer.disconnect()
  }, [active])
  return (
    <div ref={bar} className={styles.facets} role="group" aria-label={label}>
      {facets.map((it) => (
        <button
          key={it.value}
          type="button"
          className={styles.tab}
          data-value={it.value}
          aria-pressed={it.value === active}
          onClick={() => onPick(it.value)}
        >
          {it.label}
          {it.count === undefined ? null : <span>{it.count}</span>}
        </button>
      ))}
    </div>
  )
}
