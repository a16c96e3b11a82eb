import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef } from "react"
import type { Status } from "../../base/status.ts"
import { Icon } from "../icon/icon.tsx"
import { StatusMark } from "../status-mark/status-mark.tsx"
import styles from "./steps.module.css"

export type StepsHandle = {
  reveal(id: string): void
}

type StepsScrollProps = {
  readonly label: string
  readonly follows: boolean
  readonly ref?: Ref<StepsHandle>
  readonly children: ReactNode
}

const END_SLACK_PX = 24

export function StepsScroll({ label, follows, ref, children }: StepsScrollProps) {
  const box = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const [scroller, rows] = [box.current, body.current]
    if (!follows || scroller === null || rows === null) return
    const stay = () => {
      if (isAtEnd.current) scroller.scrollTop = scroller.scrollHeight
    }
    stay()
    const observer = new ResizeObserver(stay)
    observer.observe(rows)
    observer.observe(scroller)
    return () => observer.disconnect()
  }, [follows])
  useImperativeHandle(ref, () => ({
    reveal: (id) => document.getElementById(id)?.scrollIntoView({ block: "nearest" }),
  }))
  const noteEnd = () => {
    const it = box.current
    if (it === null) return
    isAtEnd.current = it.scrollHeight - it.scrollTop - it.clientHeight < END_SLACK_PX
  }
  return (
    <div
      ref={box}
      className={styles.scroll}
      role="region"
      aria-label={label}
      tabIndex={0}
      onScroll={noteEnd}
    >
      <div ref={body}>{children}</div>
    </div>
  )
}

type StepGroupProps = {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly tone?: "bad" | "warn" | undefined
  readonly aside: string
  readonly isLive?: boolean
  /** Absent if it has no content. */
  readonly isOpen: boolean | undefined
  readonly isSelected: boolean
  onToggle(): void
  readonly children?: ReactNode
}

export function StepGroup(props: StepGroupProps) {
  const { id, title, description, tone, aside, isOpen } = props
  return (
    <section id={id} className={styles.group} aria-label={title}>
      <h2>
        <button
          type="button"
          className={styles.head}
          aria-expanded={isOpen}
          aria-current={props.isSelected ? "true" : undefined}
          onClick={props.onToggle}
        >
          <Icon name={isOpen === true ? "chevron-down" : "chevron-right"} size="small" />
          <b>{title}</b>
          <span className={styles.description} data-tone={tone} title={description}>
            {description}
          </span>
          <span className={styles.aside} data-live={props.isLive || undefined}>
            {aside}
          </span>
        </button>
      </h2>
      {isOpen === true ? <div className={styles.inside}>{props.children}</div> : null}
    </section>
  )
}

type StepEndProps = {
  readonly mark: Status
  readonly title: string
  readonly description: string
  readonly tone?: "bad" | "warn" | undefined
  readonly children?: ReactNode
}

export function StepEnd({ mark, title, description, tone, children }: StepEndProps) {
  return (
    <div className={styles.end} role="status">
      <StatusMark status={mark} />
      <p data-tone={tone}>
        <b>{title}</b> {description}
      </p>
      {children}
    </div>
  )
}

export function StepText({ label, children }: { readonly label: string; children: ReactNode }) {
  return (
    <section className={styles.text} aria-label={label}>
      {children}
    </section>
  )
}
