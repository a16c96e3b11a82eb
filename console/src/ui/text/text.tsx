import type { ReactNode } from "react"
import { classNames } from "../class-names.ts"
import styles from "./text.module.css"

type TextProps = {
  readonly as?: "span" | "p" | "h1" | "h2" | "h3" | "div" | "code" | "time"
  readonly size?: "xs" | "sm" | "md" | "lg" | "title-sm" | "title-md" | "title-lg"
  readonly tone?: "2" | "3" | "ok" | "warn" | "bad" | "accent"
  readonly mono?: boolean
  readonly strong?: boolean
  /** "wide": not on a phone, in a row that grows with its text. */
  readonly cut?: boolean | "wide"
  readonly wrap?: boolean
  readonly align?: "end"
  readonly read?: boolean
  readonly title?: string | undefined
  readonly id?: string
  readonly children?: ReactNode
}

export function Text({ as: Tag = "span", size, tone, children, title, id, ...look }: TextProps) {
  return (
    <Tag
      id={id}
      title={title}
      className={classNames(
        size && styles[size],
        tone && styles[`tone-${tone}`],
        look.mono && styles.mono,
        look.strong && styles.strong,
        look.cut && styles[look.cut === "wide" ? "cut-wide" : "cut"],
        look.wrap && styles.wrap,
        look.align && styles.end,
        look.read && styles.read,
      )}
    >
      {children}
    </Tag>
  )
}

/** A sentence of ours, in which `backticks` mark text to type. */
export function Prose({ children }: { readonly children: string }) {
  const parts = children.split("`")
  return (
    <span className={styles.prose}>
      {parts.map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
    </span>
  )
}

/** A file of the server, which opens in a tab of its own. */
export function FileLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a className={styles.link} href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

export function PlaceLink({
  href,
  children,
}: {
  readonly href: string
  readonly children: string
}) {
  return (
    <a className={styles.link} href={href}>
      {children}
    </a>
  )
}
