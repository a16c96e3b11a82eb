import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"
import { Icon, type IconName } from "../icon/icon.tsx"
import styles from "./transcript.module.css"

type FrameProps = {
  readonly beside: ReactNode
  readonly isBeside: boolean
  /** `over`: the drawer was opened by the user, also where it replaces the transcript. */
  readonly width: "facts" | "over" | "wide"
  readonly children: ReactNode
}

export function TranscriptFrame({ beside, isBeside, width, children }: FrameProps) {
  const shown = width === "facts" ? "shown" : width
  return (
    <div className={styles.frame} data-beside={isBeside ? shown : "none"}>
      {children}
      {beside}
    </div>
  )
}

export function Vitals({ children }: { readonly children: ReactNode }) {
  return (
    // A group, because screen readers would announce the clock of a live region every second.
    <div className={styles.vitals} role="group" aria-label="Run status">
      {children}
    </div>
  )
}

type VitalProps = {
  readonly tone?: "warn" | "bad" | undefined
  readonly title?: string | undefined
  readonly wide?: boolean
  readonly push?: boolean
  readonly yields?: boolean
  readonly children: ReactNode
}

export function Vital(props: VitalProps) {
  const { tone, title, wide = false, push = false, yields = false, children } = props
  return (
    <span
      className={classNames(
        styles.vital,
        wide && styles.wide,
        push && styles.push,
        yields && styles.yields,
      )}
      data-tone={tone}
      title={title}
    >
      {children}
    </span>
  )
}

export function Wide({ children }: { readonly children: ReactNode }) {
  return <span className={styles.wide}>{children}</span>
}

export function Roomy({ children }: { readonly children: ReactNode }) {
  return <span className={classNames(styles.wide, styles.roomy)}>{children}</span>
}

type EntryProps = {
  readonly id: string
  readonly time: string
  readonly mark: ReactNode
  readonly depth: number
  readonly isSelected: boolean
  readonly isFound: boolean
  readonly label: string
  onPick(): void
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Entry(props: EntryProps) {
  const { id, time, mark, depth, isSelected, children } = props
  return (
    // Keys move between entries; a click selects without blocking controls inside.
    <article
      id={id}
      className={styles.entry}
      data-entry
      data-depth={depth > 0 || undefined}
      data-found={props.isFound || undefined}
      style={depth > 0 ? { "--depth": depth } : undefined}
      aria-current={isSelected}
      aria-label={props.label}
      onClick={props.onPick}
    >
      <time>{time}</time>
      {mark}
      <div className={styles.within}>{children}</div>
      {props.actions === undefined ? null : <div className={styles.actions}>{props.actions}</div>}
    </article>
  )
}

type LineProps = {
  readonly title: string
  readonly icon?: IconName | undefined
  readonly mono?: boolean
  readonly plain?: boolean
  readonly description?: string
  readonly tone?: "warn" | "bad" | undefined
  /** Its details stay visible on a phone, where other entries show only their name. */
  readonly keeps?: boolean
  readonly figures?: readonly string[]
  /** Absent if it has no content. */
  readonly isOpen?: boolean | undefined
  readonly onToggle?: (() => void) | undefined
}

export function Line(props: LineProps) {
  const {
    title,
    icon,
    plain = false,
    description = "",
    tone,
    figures = [],
    isOpen,
    onToggle,
  } = props
  const yields = tone === undefined && props.keeps !== true
  const content = (
    <>
      {icon === undefined ? null : <Icon name={icon} />}
      <b title={title}>{title}</b>
      {description === "" ? null : (
        <span className={classNames(styles.sum, yields && styles.wide)} data-tone={tone}>
          {description}
        </span>
      )}
      {figures.length === 0 ? null : (
        <span className={styles.figures}>
          {figures.map((it, i) => (
            // Fixed order: tokens, time, cost.
            <span key={i}>{it}</span>
          ))}
        </span>
      )}
    </>
  )
  const variant = { className: styles.line, "data-plain": plain || undefined }
  if (onToggle === undefined) return <div {...variant}>{content}</div>
  return (
    <button
      type="button"
      {...variant}
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
    >
      {content}
    </button>
  )
}

type SaidProps = {
  readonly variant?: "strong" | "bad" | "writing"
  readonly children: ReactNode
}

export function MessageText({ variant, children }: SaidProps) {
  return (
    <div
      className={styles.said}
      data-strong={variant === "strong" || undefined}
      data-tone={variant === "bad" ? "bad" : undefined}
      data-writing={variant === "writing" || undefined}
    >
      {children}
      {variant === "writing" ? <i className={styles.caret} /> : null}
    </div>
  )
}

export function EntryFoot({ children }: { readonly children: ReactNode }) {
  return <div className={styles.after}>{children}</div>
}

export function Muted({ tone, children }: { tone?: "warn" | undefined; children: ReactNode }) {
  return (
    <div className={styles.muted} data-tone={tone}>
      {children}
    </div>
  )
}

export function MoreButton({ onPress, children }: { onPress: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      className={styles.more}
      onClick={(event) => {
        event.stopPropagation()
        onPress()
      }}
    >
      {children}
    </button>
  )
}

export function TextLink({
  href,
  children,
}: {
  readonly href: string
  readonly children: ReactNode
}) {
  return (
    <a className={styles.link} href={href}>
      {children}
    </a>
  )
}

export function Floating({ children }: { readonly children: ReactNode }) {
  return (
    <div className={styles.float}>
      <div>{children}</div>
    </div>
  )
}

export function LineState({ mood, children }: { mood: "ok" | "warn"; children: ReactNode }) {
  return (
    <div className={styles.lost} data-mood={mood} role="status">
      {children}
    </div>
  )
}

export function KindTable({ children }: { readonly children: ReactNode }) {
  return <div className={styles.kinds}>{children}</div>
}

export function ItemList({ children }: { readonly children: ReactNode }) {
  return <ul className={styles.items}>{children}</ul>
}
