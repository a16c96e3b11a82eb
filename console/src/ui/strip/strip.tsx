import { useLayoutEffect, useRef, useState } from "react"
import { cssPercent, formatRunTime, visibleLine } from "../../base/format.ts"
import { classNames } from "../class-names.ts"
import styles from "./strip.module.css"
import { ticksFor } from "./ticks.ts"

export type StripSpan = {
  readonly lane: "model" | "tools" | "branches" | "waiting"
  readonly variant: "plain" | "read" | "search" | "edit" | "command" | "waiting"
  readonly title: string
  readonly fromMs: number
  readonly toMs: number
  readonly seq: number
}

type StripProps = {
  readonly durationMs: number
  readonly spans: readonly StripSpan[]
  onPick(seq: number): void
}

const LANES = [
  { id: "model", label: "Model" },
  { id: "tools", label: "Tools" },
  { id: "branches", label: "Branches" },
] as const

export function Strip({ durationMs, spans, onPick }: StripProps) {
  const total = Math.max(1, durationMs)
  const share = (ms: number) => cssPercent(ms / total)
  const drawn = (lane: string) =>
    spans.filter((it) => it.lane === lane || (lane === "tools" && it.lane === "waiting"))
  return (
    <section className={styles.strip} aria-label="Timeline">
      {LANES.map(({ id, label }) => (
        <div key={id} className={styles.row}>
          <span>{label}</span>
          <div className={styles.lane}>
            {drawn(id).map((it) => (
              <button
                key={`${it.seq} ${it.fromMs}`}
                type="button"
                // One tab stop for the strip: the list below has the same content as text.
                tabIndex={-1}
                className={classNames(styles.span, styles[it.variant])}
                style={{ left: share(it.fromMs), width: share(it.toMs - it.fromMs) }}
                title={describeSpan(it)}
                aria-label={describeSpan(it)}
                onClick={() => onPick(it.seq)}
              />
            ))}
          </div>
        </div>
      ))}
      <div className={styles.row}>
        <span />
        <Ticks durationMs={durationMs} share={share} />
      </div>
    </section>
  )
}

const USUAL_WIDTH_PX = 600

function Ticks({ durationMs, share }: { durationMs: number; share: (ms: number) => string }) {
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
  const ticks = ticksFor(durationMs, widthPx)
  const end = ticks.at(-1)
  return (
    <div ref={box} className={styles.ticks}>
      {ticks.slice(0, -1).map(({ ms, text }) => (
        <b key={ms} style={{ left: share(ms) }}>
          {text}
        </b>
      ))}
      <b data-last>{end?.text}</b>
    </div>
  )
}

function describeSpan({ title, fromMs, toMs }: StripSpan): string {
  return `${visibleLine(title)}, ${formatRunTime(toMs - fromMs)} from ${formatRunTime(fromMs)}`
}
