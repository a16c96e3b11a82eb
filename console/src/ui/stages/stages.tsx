import { useEffect, useRef } from "react"
import type { Status } from "../../base/status.ts"
import { StatusMark } from "../status-mark/status-mark.tsx"
import styles from "./stages.module.css"

export type StageDot = {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly mark: Status
  readonly place: "past" | "on" | "next"
}

export type StageUnit = {
  readonly first: number
  readonly last: number
  readonly description: string
}

type StagesProps = {
  readonly label: string
  readonly stages: readonly StageDot[]
  readonly units: readonly StageUnit[]
  onPick(index: number): void
}

export function Stages({ label, stages, units, onPick }: StagesProps) {
  const row = useRef<HTMLDivElement>(null)
  const at = stages.findLastIndex((it) => it.place !== "next")
  useEffect(() => {
    const dot = row.current?.children.item(Math.max(0, at))
    if (row.current === null || !(dot instanceof HTMLElement)) return
    row.current.scrollLeft = dot.offsetLeft - row.current.clientWidth / 2 + dot.clientWidth / 2
  }, [at])
  return (
    <div
      ref={row}
      className={styles.stages}
      role="group"
      aria-label={label}
      style={{ "--count": stages.length }}
    >
      {stages.map((it, index) => (
        <button
          key={it.key}
          type="button"
          className={styles.stage}
          data-place={it.place}
          aria-current={it.place === "on" ? "step" : undefined}
          onClick={() => onPick(index)}
        >
          <StatusMark status={it.mark} />
          <b title={it.title}>{it.title}</b>
          <span title={it.description}>{it.description}</span>
        </button>
      ))}
      {units.map(({ first, last, description }) => (
        <div
          key={`${first} ${last}`}
          className={styles.unit}
          style={{ "--first": first + 1, "--last": last + 2 }}
        >
          <i />
          {description}
        </div>
      ))}
    </div>
  )
}
