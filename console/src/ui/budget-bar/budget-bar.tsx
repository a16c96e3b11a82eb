import { type KeyboardEvent, useRef, useState } from "react"
import { cssPercent } from "../../base/format.ts"
import { type ContextKind, formatCount, formatExact } from "../../contract.ts"
import { classNames } from "../class-names.ts"
import styles from "./budget-bar.module.css"
import { type BarContent, type BarSegment, layoutBar } from "./layout.ts"

export function RowBudgetBar(content: BarContent) {
  const { segments, notch } = layoutBar(content)
  return (
    <div
      className={classNames(styles.bar, styles.row)}
      role="img"
      aria-label={describeBar(segments)}
    >
      <div className={styles.fill}>
        {segments.map((it) => (
          <i key={keyOf(it)} className={segmentClass(it)} style={{ width: cssPercent(it.share) }} />
        ))}
      </div>
      {notch === null ? null : <i className={styles.notch} style={{ left: cssPercent(notch) }} />}
    </div>
  )
}

type KindDotProps = {
  readonly kind: ContextKind | null
  readonly outlined?: boolean
}

export function KindDot({ kind, outlined = false }: KindDotProps) {
  return (
    <i
      className={classNames(styles.dot, kind === null ? styles.none : styles[kind])}
      data-cut={outlined || kind === null || undefined}
      role="img"
      aria-label={kind ?? "missing"}
    />
  )
}

type BudgetBarProps = BarContent & {
  readonly picked?: ContextKind | null
  readonly onPick?: (kind: ContextKind | null) => void
}

export function BudgetBar({ picked = null, onPick, ...content }: BudgetBarProps) {
  const { segments, notch } = layoutBar(content)
  const [focused, setFocused] = useState<string | null>(null)
  const fill = useRef<HTMLDivElement>(null)
  const tabStop = segments.findIndex((it) => it.kind === picked)
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const index = segments.findIndex((it) => keyOf(it) === focused)
    const next = Math.min(segments.length - 1, Math.max(0, index + step))
    fill.current?.querySelectorAll<HTMLElement>("button").item(next).focus()
  }
  const isOn = (it: BarSegment) => it.kind === picked || keyOf(it) === focused
  return (
    <div>
      <div
        className={styles.bar}
        data-focus={picked !== null || focused !== null || undefined}
        role="toolbar"
        aria-label={describeBar(segments)}
        onKeyDown={move}
      >
        <div className={styles.fill} ref={fill}>
          {segments.map((it, i) => (
            <button
              key={keyOf(it)}
              type="button"
              className={segmentClass(it)}
              style={{ width: cssPercent(it.share) }}
              data-on={isOn(it) || undefined}
              aria-label={describeSegment(it)}
              aria-pressed={it.kind === picked}
              tabIndex={i === Math.max(0, tabStop) ? 0 : -1}
              onFocus={() => setFocused(keyOf(it))}
              onBlur={() => setFocused(null)}
              onMouseEnter={() => setFocused(keyOf(it))}
              onMouseLeave={() => setFocused(null)}
              onClick={() => onPick?.(it.kind === picked ? null : it.kind)}
            />
          ))}
        </div>
        {notch === null ? null : <i className={styles.notch} style={{ left: cssPercent(notch) }} />}
      </div>
      <ul className={styles.legend}>
        {segments.map((it) => (
          <li key={keyOf(it)} data-on={isOn(it) || undefined}>
            <i
              className={classNames(styles.dot, styles[it.kind])}
              data-cut={it.isCut || undefined}
            />
            {it.isCut ? `${it.kind} left out` : it.kind} <b>{formatExact(it.tokens)}</b>
          </li>
        ))}
      </ul>
    </div>
  )
}

function segmentClass({ kind, isCut }: BarSegment): string {
  return classNames(styles.segment, styles[kind], isCut && styles.cut)
}

function keyOf({ kind, isCut }: BarSegment): string {
  return isCut ? `${kind} left out` : kind
}

function describeSegment(segment: BarSegment): string {
  return `${keyOf(segment)}, ${formatExact(segment.tokens)} tokens`
}

function describeBar(segments: readonly BarSegment[]): string {
  if (segments.length === 0) return "Budget bar, empty"
  return `Budget bar: ${segments.map((it) => `${keyOf(it)} ${formatCount(it.tokens)}`).join(", ")}`
}
