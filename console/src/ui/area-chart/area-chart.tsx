import { type MouseEvent, useLayoutEffect, useRef, useState } from "react"
import { cssPercent, formatRound, formatRunTime, formatShare } from "../../base/format.ts"
import { KINDS } from "../../base/kinds.ts"
import { type ContextKind, formatCount, formatExact } from "../../contract.ts"
import kinds from "../budget-bar/budget-bar.module.css"
import { KindDot } from "../budget-bar/budget-bar.tsx"

import { clearOfLast, type Tick, ticksFor } from "../strip/ticks.ts"
import { formatTick } from "../waterfall/axis.ts"
import styles from "./area-chart.module.css"
import {
  type Area,
  type AreaLane,
  type AreaMark,
  type AreaPoint,
  CANVAS,
  layoutAreas,
  type PlacedMark,
  placeLabels,
  placeMarks,
  pointAt,
  topFor,
  topWithin,
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
  /** The subject of its page: a headline, labels beside the bands, notes and lanes. */
  readonly tall?: boolean
  readonly lanes?: readonly AreaLane[]
  onPick(key: string): void
}

const TALL_PX = 232

type KindNames = Partial<Readonly<Record<ContextKind, string>>>

export function AreaChart(props: AreaChartProps) {
  const { label, points, marks, limit, picked, onPick, axis, names = {} } = props
  const { tall = false, lanes = [] } = props
  const wholeMs = Math.max(1, props.wholeMs)
  const [hovered, setHovered] = useState<string | null>(null)
  const { box, widthPx } = useWidth()
  const most = Math.max(0, ...points.map((it) => totalOf(it.kinds)))
  const top = tall ? topWithin(most, limit?.tokens) : topFor(most)
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
  const notes = [
    ...(limit !== null && limit.tokens > top ? [`${limit.label}, above the scale`] : []),
    ...(axis?.breaks.length && !tall ? ["hatched: waiting, not to scale"] : []),
  ]
  const last = points.at(-1)
  const isLimitOnTop = limit !== null && limit.tokens <= top && limit.tokens > top * 0.85
  const takenPx = isLimitOnTop && !tall ? LIMIT_LABEL_PX : 0
  return (
    <section className={styles.chart} aria-label={label} data-tall={tall || undefined}>
      {tall ? <Headline point={shown} limit={limit?.tokens} /> : null}
      <div className={styles.grid}>
        <Scale top={top} steps={tall ? 4 : 2} />
        <div
          ref={box}
          className={styles.plane}
          role="img"
          aria-label={describeChart(label, points, marks)}
          onPointerMove={(event) => setHovered(find(event))}
          onPointerLeave={() => setHovered(null)}
          onClick={pick}
        >
          <Picture
            areas={layoutAreas(points, { wholeMs, top })}
            isFine={points.length > widthPx / 4}
          />
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
          {placeNotes(marks, { wholeMs, widthPx, tall, takenPx }).map((it) => (
            <MarkLine key={it.key} mark={it} />
          ))}
          {at === undefined ? null : (
            <i className={styles.picked} style={{ left: cssPercent(at.atMs / wholeMs) }} />
          )}
        </div>
        {tall && last !== undefined ? (
          <BandLabels kinds={last.kinds} names={names} top={top} />
        ) : null}
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
        {lanes
          .filter((it) => it.spans.length > 0)
          .map((it) => (
            <Lane key={it.name} lane={it} wholeMs={wholeMs} widthPx={widthPx} onPick={onPick} />
          ))}
      </div>
      <Readout point={shown} names={names} notes={notes} />
      <TableOf
        points={points}
        marks={[...marks, ...lanes.flatMap((it) => it.spans)]}
        label={label}
        names={names}
      />
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

type HeadlineProps = {
  readonly point: AreaPoint | undefined
  readonly limit: number | undefined
}

/** The selected point, or the one under the pointer. */
function Headline({ point, limit }: HeadlineProps) {
  if (point === undefined) return null
  const tokens = totalOf(point.kinds)
  const share =
    limit === undefined ? "" : `, ${formatShare(tokens / limit)} of ${formatRound(limit)}`
  return (
    <p className={styles.headline}>
      <b>{formatExact(tokens)}</b> tokens in the window at {lowerFirst(point.name)}
      {share}
      <span>
        {point.when}, {point.description.replace(/^tokens, /, "")}
      </span>
    </p>
  )
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

function Scale({ top, steps }: { readonly top: number; readonly steps: number }) {
  const values = Array.from({ length: steps + 1 }, (_, i) => top * (1 - i / steps))
  return (
    <div className={styles.scale} aria-hidden="true">
      {values.map((it) => (
        <b key={it}>{formatTick(it)}</b>
      ))}
    </div>
  )
}

type BandLabelsProps = {
  readonly kinds: AreaPoint["kinds"]
  readonly names: KindNames
  readonly top: number
}

/** The bands at the right end, so that no separate legend is needed. */
function BandLabels({ kinds: tokens, names, top }: BandLabelsProps) {
  return (
    <ul className={styles.bands} aria-hidden="true">
      {placeLabels(tokens, { top, heightPx: TALL_PX }).map((it) => (
        <li key={it.kind} style={{ top: it.topPx }}>
          <KindDot kind={it.kind} />
          {names[it.kind] ?? it.kind} <b>{formatCount(it.tokens)}</b>
        </li>
      ))}
    </ul>
  )
}

type LaneProps = {
  readonly lane: AreaLane
  readonly wholeMs: number
  readonly widthPx: number
  onPick(key: string): void
}

/** For the pointer; the table has the same marks. */
function Lane({ lane, wholeMs, widthPx, onPick }: LaneProps) {
  return (
    <>
      <span className={styles.laneName} aria-hidden="true">
        {lane.name}
      </span>
      <div className={styles.lane} aria-hidden="true">
        {placeMarks(lane.spans, { wholeMs, widthPx }).map((mark, i) => {
          const span = lane.spans[i]
          return (
            <span
              key={`${mark.key} ${mark.atMs}`}
              className={styles.span}
              data-shape={span?.shape}
              data-tone={span?.tone}
              data-turned={mark.isTurned || undefined}
              style={{ left: cssPercent(mark.share) }}
              title={mark.title}
              onClick={() => onPick(mark.key)}
            >
              {mark.isNamed ? <b>{mark.label}</b> : null}
            </span>
          )
        })}
      </div>
    </>
  )
}

type NotesScale = {
  readonly wholeMs: number
  readonly widthPx: number
  readonly tall: boolean
  readonly takenPx: number
}

/** Width of the label of a limit that is drawn at the height of the labels of marks. */
const LIMIT_LABEL_PX = 110

/** Whole sentences where all of them fit, else the short labels. */
function placeNotes(
  marks: readonly AreaMark[],
  { tall, ...scale }: NotesScale,
): readonly PlacedMark[] {
  const long = marks.map((it) => ({ ...it, label: longest(it) }))
  const placed = tall ? placeMarks(long, scale) : []
  const isAll = tall && placed.length > 0 && placed.every((it) => it.isNamed)
  if (isAll) return placed.map((it, i) => ({ ...it, label: marks[i]?.label ?? "" }))
  const short = marks.map(({ key, atMs, label, title }) => ({ key, atMs, label, title }))
  return placeMarks(short, scale)
}

function longest({ label, note }: AreaMark): string {
  const texts = note === undefined ? [label] : [note.title, note.detail]
  return texts.reduce((a, b) => (b.length > a.length ? b : a))
}

type PictureProps = {
  readonly areas: readonly Area[]
  /** So many steps that lines between the bands would cover them. */
  readonly isFine: boolean
}

function Picture({ areas, isFine }: PictureProps) {
  return (
    <svg
      className={styles.picture}
      data-fine={isFine || undefined}
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
      {mark.isNamed ? (
        <b data-turned={mark.isTurned || undefined}>
          {mark.note === undefined ? (
            mark.label
          ) : (
            <>
              <strong>{mark.note.title}</strong>
              <small>{mark.note.detail}</small>
            </>
          )}
        </b>
      ) : null}
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
