import { type ReactNode, useLayoutEffect, useRef } from "react"
import styles from "./ask.module.css"

type AskLineProps = {
  /** Who asks for what kind of thing. */
  readonly lead: string
  /** Word for word what the answer is about. */
  readonly subject: string
  readonly after?: string
  /** Whether all of it can be read here; told again whenever the width changes. */
  onFit?(fits: boolean): void
}

/** A question in one line. Where it does not fit whole, whoever offers an answer is told. */
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
  /** Nobody waits for an answer any more. */
  readonly isOver?: boolean
  readonly children: ReactNode
}

/** The whole of what is asked, and below it what can be answered. */
export function AskCard({ text, isOver = false, children }: AskCardProps) {
  return (
    <div className={styles.card} data-over={isOver || undefined}>
      <pre className={styles.text}>{text}</pre>
      <div className={styles.answers}>{children}</div>
    </div>
  )
}
