import { type KeyboardEvent, type ReactNode, useState } from "react"
import { Button, IconButton } from "../button/button.tsx"
import { classNames } from "../class-names.ts"
import styles from "./pane.module.css"

type ColumnsProps = {
  readonly facts?: ReactNode
  /** 320 px for information, 392 px for what is acted on. */
  readonly factsWidth?: "facts" | "detail"
  readonly children: ReactNode
}

export function Columns({ facts, factsWidth = "facts", children }: ColumnsProps) {
  return (
    <div className={styles.columns} data-with={facts ? "facts" : "none"} data-width={factsWidth}>
      {children}
      {facts}
    </div>
  )
}

type PaneProps = {
  readonly ground?: "surface" | "canvas"
  readonly label: string
  readonly children: ReactNode
}

export function Pane({ ground = "surface", label, children }: PaneProps) {
  return (
    <section
      className={classNames(styles.pane, ground === "canvas" && styles.canvas)}
      aria-label={label}
    >
      {children}
    </section>
  )
}

type PaneScrollProps = {
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly children: ReactNode
}

export function PaneScroll({ onKeyDown, children }: PaneScrollProps) {
  return (
    <div className={styles.scroll} {...(onKeyDown === undefined ? {} : { onKeyDown })}>
      {children}
    </div>
  )
}

type PaneHeadProps = {
  readonly edge?: "page" | "pane"
  /** On a phone the text after the title has a line of its own. */
  readonly wraps?: boolean
  readonly actions?: ReactNode
  /** On a phone the actions have a line of their own. */
  readonly stacks?: boolean
  readonly children: ReactNode
}

export function PaneHead(props: PaneHeadProps) {
  const { edge = "pane", wraps = false, stacks = false, actions, children } = props
  return (
    <div
      className={styles.head}
      data-edge={edge}
      data-wraps={wraps || undefined}
      data-stacks={stacks || undefined}
    >
      {children}
      {actions === undefined ? null : <div className={styles["head-actions"]}>{actions}</div>}
    </div>
  )
}

export function PaneFoot({ children }: { readonly children: ReactNode }) {
  return <p className={styles.foot}>{children}</p>
}

export function PaneNote({ children }: { readonly children: ReactNode }) {
  return <p className={styles.note}>{children}</p>
}

type BlockProps = {
  readonly title?: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function Block({ title, aside, children }: BlockProps) {
  return (
    <div className={styles.block}>
      {title === undefined ? null : (
        <h2>
          {title}
          <span className={styles.aside}>{aside}</span>
        </h2>
      )}
      {children}
    </div>
  )
}

export function Values({ children }: { readonly children: ReactNode }) {
  return <dl className={styles.values}>{children}</dl>
}

type ValueProps = {
  readonly name: string
  readonly title?: string | undefined
  readonly wrap?: boolean
  readonly children: ReactNode
}

export function Value({ name, title, wrap = false, children }: ValueProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd title={title} data-wrap={wrap || undefined}>
        {children}
      </dd>
    </>
  )
}

type FlowProps = {
  readonly gap?: "tight" | "wide"
  readonly align?: "end" | "apart"
  readonly wrap?: boolean
  readonly children: ReactNode
}

export function Flow({ gap, align, wrap, children }: FlowProps) {
  return (
    <div className={styles.flow} data-gap={gap} data-align={align} data-wrap={wrap || undefined}>
      {children}
    </div>
  )
}

type TimedLineProps = { readonly time: string; readonly children: ReactNode }

/** A time in a column of its own, so that the texts of several lines begin at one edge. */
export function TimedLine({ time, children }: TimedLineProps) {
  return (
    <div className={styles.timed}>
      <time>{time}</time>
      {children}
    </div>
  )
}

export function Stack({ gap, children }: { readonly gap?: "8"; readonly children: ReactNode }) {
  return (
    <div className={styles.stack} data-gap={gap}>
      {children}
    </div>
  )
}

export function OnlyWide({ children }: { readonly children: ReactNode }) {
  return <div className={styles["only-wide"]}>{children}</div>
}

type MoreFiltersProps = {
  /** Filters that are set are shown from the start. */
  readonly isActive?: boolean
  /** The button has no text, for the header of a page. */
  readonly bare?: boolean
  readonly children: ReactNode
}

/** Filters and actions that need a wide page; on a narrow one a button opens them in a line below. */
export function MoreFilters({ isActive = false, bare = false, children }: MoreFiltersProps) {
  const [isOpen, setIsOpen] = useState(isActive)
  const turn = () => setIsOpen(!isOpen)
  return (
    <div className={styles.more} data-more={isOpen ? "open" : "closed"}>
      <div className={styles["more-button"]}>
        {bare ? (
          <IconButton icon="filter" label="More" pressed={isOpen} onPress={turn} />
        ) : (
          <Button small icon="filter" variant="ghost" pressed={isOpen} onPress={turn}>
            More filters
          </Button>
        )}
      </div>
      <div className={styles.choices}>{children}</div>
    </div>
  )
}

function OnlyBeside({ children }: { readonly children: ReactNode }) {
  return <div className={styles["only-beside"]}>{children}</div>
}

export function OnlyAsPage({ children }: { readonly children: ReactNode }) {
  return <div className={styles["only-page"]}>{children}</div>
}

type DetailHeadProps = {
  readonly back: string
  readonly actions?: ReactNode
  readonly children: ReactNode
  onClose(): void
}

export function DetailHead({ back, actions, children, onClose }: DetailHeadProps) {
  return (
    <PaneHead
      actions={
        <>
          {actions}
          <OnlyBeside>
            <IconButton small icon="close" label="Close" onPress={onClose} />
          </OnlyBeside>
        </>
      }
    >
      <OnlyAsPage>
        <IconButton small icon="back" label={back} onPress={onClose} />
      </OnlyAsPage>
      {children}
    </PaneHead>
  )
}
