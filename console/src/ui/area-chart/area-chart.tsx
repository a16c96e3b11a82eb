import { type MouseEvent, useLayoutEffect, useRef, useState } from "react"
import { cssPercent, formatRunTime } from "../../base/format.ts"
import { KINDS } from "../../base/kinds.ts"
import { type ContextKind, formatCount, formatExact } from "../../contract.ts"
import kinds from "../budget-bar/budget-bar.module.css"
import { KindDot } from "../budget-bar/budget-bar.tsx"

import { clearOfLast, type Tick, ticksFor } from "../strip/ticks.ts"
import { formatTick } from "../waterfall/axis.ts"
import styles from "./area-chart.module.css"
import {
  type Area,
  type AreaMark,
  type AreaPoint,
  CANVAS,
  layoutAreas,
  type PlacedMark,
  placeMarks,
  pointAt,
  topFor,
  totalOf,
} from "./layout.ts"

/** A time axis on which long waits are short. */
export type AreaAxis = {
  readonly ticks: readonly Tick[]
  readonly breaks: readonly {
    readonly fromMs: number
    readonly toMs: number
    readonly label: string
  }[]
}

type AreaChartProps = {
  readonly label: string
  /** Labels of kinds that differ from their names. */
  readonly names?: KindNames
  readonly axis?: AreaAxis
  readonly points: readonly AreaPoint[]
  readonly marks: readonly AreaMark[]
  readonly wholeMs: number
  readonly limit: { readonly tokens: number; readonly label: string } | null
  readonly picked: string
  onPick(key: string): void
}

type KindNames = Partial<Readonly<Record<ContextKind, string>>>

export function AreaChart(props: AreaChartProps) {
  const { label, points, marks, limit, picked, onPick, axis, names = {} } = props
  const wholeMs = Math.max(1, props.wholeMs)
  const [hovered, setHovered] = useState<string | null>(null)
  const { box, widthPx } = useWidth()
  const most = Math.max(0, ...points.map((it) => totalOf(it.kinds)))
  const top = topFor(most)
  const shown = points.find((it) => it.key === (hovered ?? picked)) ?? points.at(-1)
  const find = (event: MouseEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return pointAt(points, ((event.clientX - left) / Math.max(1, width)) * wholeMs)?.key ?? null
  }
  const pick = (event: MouseEvent<HTMLElement>) => {
    const key = find(event)
    if (key !== null) onPick(key)
  }
  const at = points.find((it) => it.key === picked)
  const ticks =
    axis === undefined
      ? ticksFor(props.wholeMs, widthPx)
      : clearOfLast(axis.ticks, { wholeMs, widthPx })
  return (
    <section className={styles.chart} aria-label={label}>
      <div className={styles.grid}>
        <Scale top={top} />
        <div
          ref={box}
          className={styles.plane}
          role="img"
          aria-label={describeChart(label, points, marks)}
          onPointerMove={(event) => setHovered(find(event))}
          onPointerLeave={() => setHovered(null)}
          onClick={pick}
        >
          <Picture areas={layoutAreas(points, { wholeMs, top })} />
          {axis?.breaks.map((it) => (
            <i
              key={it.fromMs}
              className={styles.break}
              title={it.label}
              style={{
                left: cssPercent(it.fromMs / wholeMs),
                width: cssPercent((it.toMs - it.fromMs) / wholeMs),
              }}
            />
          ))}
          {limit === null || limit.tokens > top ? null : (
            <i className={styles.limit} style={{ top: cssPercent(1 - limit.tokens / top) }}>
              <b>{limit.label}</b>
            </i>
          )}
          {placeMarks(marks, { wholeMs, widthPx }).map((it) => (
            <MarkLine key={it.key} mark={it} />
          ))}
          {at === undefined ? null : (
            <i className={styles.picked} style={{ left: cssPercent(at.atMs / wholeMs) }} />
          )}
        </div>
        <div className={styles.ticks}>
          {ticks.map(({ ms, text }, i, all) => (
            <b
              key={ms}
              data-last={i === all.length - 1 || undefined}
              style={i === all.length - 1 ? undefined : { left: cssPercent(ms / wholeMs) }}
            >
              {text}
            </b>
          ))}
        </div>
      </div>
      <Readout
        point={shown}
        names={names}
        notes={[
          ...(limit !== null && limit.tokens > top ? [`${limit.label}, above the scale`] : []),
          ...(axis?.breaks.length ? ["hatched: waiting, not to scale"] : []),
        ]}
      />
      <TableOf points={points} marks={marks} label={label} names={names} />
    </section>
  )
}

const USUAL_WIDTH_PX = 900

function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [widthPx, setWidthPx] = useState(USUAL_WIDTH_PX)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => setWidthPx(element.clientWidth)
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])
  return { box, widthPx }
}

function Scale({ top }: { readonly top: number }) {
  return (
    <div className={styles.scale} aria-hidden="true">
      {[top, top / 2, 0].map((it) => (
        <b key={it}>{formatTick(it)}</b>
      ))}
    </div>
  )
}

function Picture({ areas }: { readonly areas: readonly Area[] }) {
  return (
    <svg
      className={styles.picture}
      viewBox={`0 0 ${CANVAS.width} ${CANVAS.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {areas.map(({ kind, path }) => (
        <path key={kind} className={kinds[kind]} d={path} />
      ))}
    </svg>
  )
}

function MarkLine({ mark }: { readonly mark: PlacedMark }) {
  return (
    <i className={styles.mark} style={{ left: cssPercent(mark.share) }} title={mark.title}>
      {mark.isNamed ? <b data-turned={mark.isTurned || undefined}>{mark.label}</b> : null}
    </i>
  )
}

type ReadoutProps = {
  readonly point: AreaPoint | undefined
  readonly names: KindNames
  readonly notes: readonly string[]
}

function Readout({ point, names, notes }: ReadoutProps) {
  if (point === undefined) return null
  return (
    <ul className={styles.legend}>
      <li>
        {point.name}, {point.when ?? formatRunTime(point.atMs)}{" "}
        <b>{formatExact(totalOf(point.kinds))}</b> {point.description}
      </li>
      {KINDS.filter((kind) => (point.kinds[kind] ?? 0) > 0).map((kind) => (
        <li key={kind}>
          <KindDot kind={kind} />
          {names[kind] ?? kind} <b>{formatCount(point.kinds[kind] ?? 0)}</b>
        </li>
      ))}
      {notes.map((it) => (
        <li key={it}>{it}</li>
      ))}
    </ul>
  )
}

type TableProps = Pick<AreaChartProps, "points" | "marks" | "label"> & { readonly names: KindNames }

function TableOf({ points, marks, label, names }: TableProps) {
  const [isOpen, setIsOpen] = useState(false)
  const used = KINDS.filter((kind) => points.some((it) => (it.kinds[kind] ?? 0) > 0))
  return (
    <details className={styles.table} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <div role="group" aria-label={label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {["Item", "Time", "Tokens", ...used.map((it) => names[it] ?? it), "Source"].map(
                  (it) => (
                    <th key={it} scope="col">
                      {it}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {points.map((it) => (
                <tr key={it.key}>
                  <th scope="row">{it.name}</th>
                  <td>{it.when ?? formatRunTime(it.atMs)}</td>
                  <td>{formatExact(totalOf(it.kinds))}</td>
                  {used.map((kind) => (
                    <td key={kind}>{formatExact(it.kinds[kind] ?? 0)}</td>
                  ))}
                  <td>{[it.description, ...marksOf(marks, it)].join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  )
}

function marksOf(marks: readonly AreaMark[], { key }: AreaPoint): readonly string[] {
  return marks.filter((it) => it.key === key).map((it) => it.title)
}

function describeChart(
  label: string,
  points: readonly AreaPoint[],
  marks: readonly AreaMark[],
): string {
  const totals = points.map((it) => totalOf(it.kinds))
  const figures = `from ${formatCount(totals[0] ?? 0)} to ${formatCount(totals.at(-1) ?? 0)} tokens, at most ${formatCount(Math.max(0, ...totals))}`
  return [`${label}: ${figures}`, ...marks.map((it) => it.title)].join("; ")
}
