import { type CSSProperties, type ReactNode, useState } from "react"
import { cssPercent } from "../../base/format.ts"
import styles from "./day-bars.module.css"

type DayBar = {
  readonly key: string
  readonly label: string
  /** Text below it on the axis. */
  readonly tick?: string | undefined
  /** The name of its month, under the ticks. */
  readonly month: string
  /** One per series, in its order; null if it is not known. */
  readonly values: readonly (number | null)[]
  readonly isPartUnknown: boolean
}

/** Series of one family have one hue; their shade tells them apart. */
export type Series = {
  readonly name: string
  /** 0 to 4; later families share the last hue. */
  readonly family: number
  /** 0 to 2 within the family; later series share the last shade. */
  readonly shade: number
}

type DayBarsProps = {
  readonly label: string
  readonly series: readonly Series[]
  readonly bars: readonly DayBar[]
  readonly picked: string
  /** At the right end of the axis, where it fits. */
  readonly end: string
  format(value: number): string
  onPick(key: string): void
}

/** A longer legend is no longer read; the table has all. */
const MOST_NAMED = 8

const LAST_FAMILY = 4
const LAST_SHADE = 2

function Swatch({
  series,
  ...props
}: {
  readonly series: Series | undefined
  readonly style?: CSSProperties
}) {
  return (
    <i
      {...props}
      className={styles.swatch}
      data-family={Math.min(series?.family ?? 0, LAST_FAMILY)}
      data-shade={Math.min(series?.shade ?? 0, LAST_SHADE)}
    />
  )
}

/** Stacked bars, one per day. A ring under a bar marks a part without a known value. */
export function DayBars({ label, series, bars, picked, end, format, onPick }: DayBarsProps) {
  const top = roundUp(Math.max(...bars.map((it) => sum(it.values)), 0))
  const shown = bars.find((it) => it.key === picked)
  return (
    <section aria-label={label}>
      <div className={styles.chart}>
        <div className={styles.scale} aria-hidden="true">
          {[top, top / 2, 0].map((it) => (
            <b key={it}>{format(it)}</b>
          ))}
        </div>
        <div className={styles.plane} aria-hidden="true">
          {bars.map((bar) => (
            <span
              key={bar.key}
              className={styles.slot}
              data-picked={bar.key === picked || undefined}
              title={`${bar.label}: ${format(sum(bar.values))}`}
              onClick={() => onPick(bar.key)}
            >
              <span className={styles.stack}>
                {bar.values.map((value, i) =>
                  value === null || value === 0 ? null : (
                    <Swatch
                      key={series[i]?.name ?? i}
                      series={series[i]}
                      style={{ height: cssPercent(value / top) }}
                    />
                  ),
                )}
              </span>
              {bar.isPartUnknown ? <em /> : null}
            </span>
          ))}
        </div>
        <div className={styles.ticks} aria-hidden="true">
          {bars.map((bar) => (
            <b key={bar.key} data-picked={bar.key === picked || undefined}>
              {bar.tick}
            </b>
          ))}
        </div>
        <Months bars={bars} end={end} />
      </div>
      <p className={styles.note}>
        {shown === undefined ? "" : `${shown.label}: ${format(sum(shown.values))}`}
        {bars.some((it) => it.isPartUnknown) ? (
          <span>
            <em />
            price partly unknown
          </span>
        ) : null}
      </p>
      <TableOf series={series} bars={bars} label={label} format={format} />
    </section>
  )
}

/** A name that does not fit over its days is left out, and so is the end. */
function Months({ bars, end }: Pick<DayBarsProps, "bars" | "end">) {
  const months = [...Map.groupBy(bars, (it) => it.month)]
  return (
    <div className={styles.months} aria-hidden="true">
      {months.map(([month, days], i) => (
        <span key={month} style={{ flexGrow: days.length }}>
          <b>{month}</b>
          {i === months.length - 1 ? <b>{end}</b> : null}
        </span>
      ))}
    </div>
  )
}

type SeriesBarProps = Pick<DayBarsProps, "label" | "series" | "format"> & {
  /** One per series; null if it is not known. */
  readonly values: readonly (number | null)[]
}

/** One bar with the total of each series; its legend also explains the bars of days. */
export function SeriesBar({ label, series, values, format }: SeriesBarProps) {
  const whole = Math.max(sum(values), Number.MIN_VALUE)
  const others = series.length - MOST_NAMED
  return (
    <section aria-label={label}>
      <div className={styles.bar} aria-hidden="true">
        {values.map((value, i) =>
          value === null || value === 0 ? null : (
            <Swatch
              key={series[i]?.name ?? i}
              series={series[i]}
              style={{ width: cssPercent(value / whole) }}
            />
          ),
        )}
      </div>
      <ul className={styles.legend}>
        {series.slice(0, MOST_NAMED).map((it, i) => (
          <li key={it.name}>
            <Swatch series={it} />
            {it.name}
            <b>{formatValue(values[i], format)}</b>
          </li>
        ))}
        {others > 0 ? <li>and {others} more</li> : null}
      </ul>
    </section>
  )
}

/** A chart with the facts of its selection: beside it, or below it where that is too narrow. */
export function ChartBeside({
  chart,
  facts,
}: {
  readonly chart: ReactNode
  readonly facts: ReactNode
}) {
  return (
    <div className={styles.beside}>
      {chart}
      {facts}
    </div>
  )
}

function TableOf({
  series,
  bars,
  label,
  format,
}: Pick<DayBarsProps, "series" | "bars" | "label" | "format">) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className={styles.table} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? (
        <div role="group" aria-label={label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {["Day", "Sum", ...series.map((it) => it.name)].map((it) => (
                  <th key={it} scope="col">
                    {it}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map((bar) => (
                <tr key={bar.key}>
                  <th scope="row">{bar.label}</th>
                  <td>{`${format(sum(bar.values))}${bar.isPartUnknown ? " and unknown" : ""}`}</td>
                  {bar.values.map((value, i) => (
                    <td key={series[i]?.name ?? i}>{formatValue(value, format)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
    </details>
  )
}

const sum = (values: DayBar["values"]): number =>
  values.reduce<number>((all, it) => all + (it ?? 0), 0)

/** An unknown value is shown as text, never as 0. */
function formatValue(value: number | null | undefined, format: DayBarsProps["format"]): string {
  return value === null || value === undefined ? "unknown" : format(value)
}

const ROUND = [1, 2, 5, 10] as const

/** The top of the scale: 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return (ROUND.find((it) => it * power >= value) ?? 10) * power
}
