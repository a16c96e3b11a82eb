import { type DragEvent, type ReactNode, useEffect, useRef, useState } from "react"
import type { Status } from "../../base/status.ts"
import { StatusMark } from "../status-mark/status-mark.tsx"
import styles from "./lanes.module.css"

const KIND = "application/x-qm-card"

export function Lanes({
  label,
  children,
}: {
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <section className={styles.lanes} aria-label={label}>
      {children}
    </section>
  )
}

type LaneProps = {
  readonly name: string
  readonly count: number
  readonly note: string
  readonly status: Status
  readonly children: ReactNode
  /** Undefined if nothing may be dropped. */
  readonly onDrop?: ((id: string) => void) | undefined
}

export function Lane({ name, count, note, status, children, onDrop }: LaneProps) {
  const [isOver, setIsOver] = useState(false)
  const hover = (event: DragEvent) => {
    if (onDrop === undefined || !event.dataTransfer.types.includes(KIND)) return
    event.preventDefault()
    setIsOver(true)
  }
  const drop = (event: DragEvent) => {
    setIsOver(false)
    const id = event.dataTransfer.getData(KIND)
    if (id === "") return
    event.preventDefault()
    onDrop?.(id)
  }
  return (
    <section
      className={styles.lane}
      aria-label={name}
      data-over={isOver || undefined}
      onDragOver={hover}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <header className={styles.head}>
        <StatusMark status={status} />
        <h2>{name}</h2>
        <span className={styles.count}>{count}</span>
        <span className={styles.note}>{note}</span>
      </header>
      <div className={styles.cards}>{children}</div>
    </section>
  )
}

type CardProps = {
  readonly id: string
  readonly title: string
  /** 1 to 4 bars. */
  readonly level: 1 | 2 | 3 | 4
  readonly levelName: string
  readonly fact: string
  readonly tone?: "warn" | "bad" | undefined
  readonly isCurrent: boolean
  readonly isDraggable: boolean
  onPress(): void
}

export function Card(props: CardProps) {
  const { id, title, level, levelName, fact, tone, isCurrent, isDraggable, onPress } = props
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isCurrent) button.current?.scrollIntoView({ block: "nearest", inline: "nearest" })
  }, [isCurrent])
  return (
    <button
      ref={button}
      type="button"
      className={styles.card}
      aria-current={isCurrent}
      draggable={isDraggable}
      onClick={onPress}
      onDragStart={(event) => {
        event.dataTransfer.setData(KIND, id)
        event.dataTransfer.effectAllowed = "move"
      }}
    >
      <span className={styles.title}>{title}</span>
      <span className={styles.facts}>
        <Bars level={level} name={levelName} />
        <span className={styles.id}>{id}</span>
        <span className={styles.fact} data-tone={tone}>
          {fact}
        </span>
      </span>
    </button>
  )
}

function Bars({ level, name }: { readonly level: 1 | 2 | 3 | 4; readonly name: string }) {
  return (
    <span className={styles.bars} data-level={level} role="img" aria-label={name}>
      <i />
      <i />
      <i />
    </span>
  )
}
