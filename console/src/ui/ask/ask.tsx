import { type ReactNode, useLayoutEffect, useRef } from "react"
import styles from "./ask.module.css"

type AskLineProps = {
  readonly lead: string
  readonly subject: string
  readonly after?: string
  /** Whether the full text is visible; called again when the width changes. */
  onFit?(fits: boolean): void
}

export function AskLine({ lead, subject, after = "", onFit }: AskLineProps) {
  const line = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = line.current
    if (element === null || onFit === undefined) return
    const measure = () => onFit(element.scrollWidth <= element.clientWidth)
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [onFit, lead, subject, after])
  return (
    <div ref={line} className={styles.line} title={`${lead} ${subject}`}>
      {lead} <code>{subject}</code>
      {after}
    </div>
  )
}

type AskCardProps = {
  readonly text: string
  readonly isOver?: boolean
  readonly children: ReactNode
}

export function AskCard({ text, isOver = false, children }: AskCardProps) {
  return (
    <div className={styles.card} data-over={isOver || undefined}>
      <pre className={styles.text}>{text}</pre>
      <div className={styles.answers}>{children}</div>
    </div>
  )
}
