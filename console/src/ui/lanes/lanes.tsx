import {
  type DragEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import type { Status } from "../../base/status.ts"
import { StatusMark } from "../status-mark/status-mark.tsx"
import { usePhone } from "../use-narrow.ts"
import styles from "./lanes.module.css"

const KIND = "application/x-qm-card"

export type CardLink = { readonly from: string; readonly to: string; readonly isOpen: boolean }

type LanesProps = {
  readonly label: string
  /** Id of the selected card: its links are drawn. */
  readonly at: string
  readonly links: readonly CardLink[]
  /** Index of the lane shown first where only one fits. */
  readonly start: number
  readonly children: ReactNode
}

export function Lanes({ label, at, links, start, children }: LanesProps) {
  const box = useRef<HTMLElement>(null)
  const isPhone = usePhone()
  const scrollToStart = useEffectEvent(() => {
    const lane = box.current?.children.item(start)
    if (lane instanceof HTMLElement) box.current?.scrollTo({ left: lane.offsetLeft })
  })
  useLayoutEffect(() => {
    if (isPhone) scrollToStart()
  }, [isPhone])
  const lines = useCardLines(box, at, links)
  return (
    <section ref={box} className={styles.lanes} aria-label={label}>
      {children}
      {lines.length === 0 ? null : (
        <svg className={styles.links} aria-hidden="true">
          {lines.map((it) => (
            <path key={it.key} d={it.path} data-open={it.isOpen || undefined} />
          ))}
        </svg>
      )}
    </section>
  )
}

type CardLine = { readonly key: string; readonly path: string; readonly isOpen: boolean }

/** Follows scrolling of the board and of each lane; a link to a card that is not drawn is left out. */
function useCardLines(
  box: RefObject<HTMLElement | null>,
  at: string,
  links: readonly CardLink[],
): readonly CardLine[] {
  const [lines, setLines] = useState<readonly CardLine[]>([])
  const linkKeys = links.map((it) => `${it.from} ${it.to} ${it.isOpen}`).join(",")
  const draw = useEffectEvent(() => {
    const area = box.current
    setLines(area === null ? [] : links.flatMap((it) => lineOf(area, it) ?? []))
  })
  useEffect(() => {
    const area = box.current
    if (area === null) return
    draw()
    if (linkKeys === "") return
    const observer = new ResizeObserver(() => draw())
    observer.observe(area)
    const follow = () => draw()
    area.addEventListener("scroll", follow, { capture: true, passive: true })
    return () => {
      observer.disconnect()
      area.removeEventListener("scroll", follow, { capture: true })
    }
  }, [box, at, linkKeys])
  return lines
}

function lineOf(area: HTMLElement, { from, to, isOpen }: CardLink): CardLine | undefined {
  const cardOf = (id: string) => area.querySelector(`[data-card="${CSS.escape(id)}"]`)
  const [one, two] = [cardOf(from)?.getBoundingClientRect(), cardOf(to)?.getBoundingClientRect()]
  if (one === undefined || two === undefined) return undefined
  const origin = area.getBoundingClientRect()
  const left = origin.left - area.scrollLeft
  const isRight = two.left > one.left
  const x1 = (isRight ? one.right : one.left) - left
  const x2 = (isRight || two.left === one.left ? two.left : two.right) - left
  const [y1, y2] = [one.top + one.height / 2, two.top + two.height / 2].map((y) => y - origin.top)
  const bend = two.left === one.left ? -14 : (x2 - x1) / 2
  const path = `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - (two.left === one.left ? 14 : bend)} ${y2} ${x2} ${y2}`
  return { key: `${from} ${to}`, path, isOpen }
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
  /** Drawn below the title, such as the context of the agent that worked on it. */
  readonly bar?: ReactNode
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
      data-card={id}
      aria-current={isCurrent}
      draggable={isDraggable}
      onClick={onPress}
      onDragStart={(event) => {
        event.dataTransfer.setData(KIND, id)
        event.dataTransfer.effectAllowed = "move"
      }}
    >
      <span className={styles.title}>{title}</span>
      {props.bar}
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
