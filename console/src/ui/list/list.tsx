import { type ComponentProps, type ReactNode, useState } from "react"
import { classNames } from "../class-names.ts"
import { Icon } from "../icon/icon.tsx"
import { Text } from "../text/text.tsx"
import styles from "./list.module.css"

export type ColumnWidths = {
  readonly full: string
  readonly tight?: string
  readonly narrow?: string
  readonly nameSpan?: number
  /** The same in a narrow pane, which leaves out some columns. */
  readonly nameSpanTight?: number
}

export function columnStyle({ full, tight, narrow, nameSpan, nameSpanTight }: ColumnWidths) {
  return {
    "--cols": full,
    "--cols-tight": tight,
    "--cols-narrow": narrow,
    "--name-span": nameSpan,
    "--name-span-tight": nameSpanTight,
  }
}

type RowsProps = { readonly columns: ColumnWidths; readonly children: ReactNode }

export function Rows({ columns, children }: RowsProps) {
  return (
    <div className={styles.rows} style={columnStyle(columns)} data-rows>
      {children}
    </div>
  )
}

export function Section({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={styles.rows} aria-label={label}>
      {children}
    </section>
  )
}

export type HeadLabel = {
  readonly text: string
  readonly align?: "end"
  readonly from?: "wide" | "roomy"
  readonly content?: ReactNode
}

export function TableHead({ labels }: { readonly labels: readonly HeadLabel[] }) {
  return (
    <div className={styles.head} role="presentation">
      {labels.map(({ text, align, from, content }) => (
        <span key={text} className={classNames(from && styles[from])} data-align={align}>
          {content ?? text}
        </span>
      ))}
    </div>
  )
}

type FoldProps = {
  readonly option: RowOption
  readonly name: string
  readonly count: number
  readonly sum: string
  readonly isOpen: boolean
}

/** A collapsible group; among options it is an option itself, so that keys reach it. */
export function FoldGroup({ option, name, count, sum, isOpen }: FoldProps) {
  return (
    <div
      className={classNames(styles.group, styles.fold)}
      data-plain
      role="option"
      id={option.id}
      aria-selected={option.isSelected}
      tabIndex={-1}
      onClick={option.onPick}
    >
      <Icon name={isOpen ? "chevron-down" : "chevron-right"} size="small" />
      <b>{name}</b>
      <span className={styles.count}>{count}</span>
      <span className={styles.heard}>{isOpen ? "open" : "folded"}</span>
      <span className={styles.sum}>{sum}</span>
    </div>
  )
}

type FoldSectionProps = {
  readonly name: string
  readonly count: number
  readonly children: ReactNode
}

/** A heading that shows its content when pressed; closed at first. */
export function FoldSection({ name, count, children }: FoldSectionProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={classNames(styles.group, styles.fold)}
        data-plain
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name={isOpen ? "chevron-down" : "chevron-right"} size="small" />
        <b>{name}</b>
        <span className={styles.count}>{count}</span>
      </button>
      {isOpen ? children : null}
    </>
  )
}

type GroupProps = {
  readonly name: string
  readonly count?: number | undefined
  readonly labels?: readonly GroupLabel[]
  readonly sum?: ReactNode
  /** Left out in a narrower pane. */
  readonly sumFrom?: "wide" | "roomy"
  readonly lead?: ReactNode
  /** Among the options of a listbox, where a heading is not allowed. */
  readonly amongOptions?: boolean
}
export type GroupLabel = {
  readonly text: string
  readonly align?: "end"
  readonly from?: "wide" | "roomy"
}

export function Group(props: GroupProps) {
  const { name, count, labels, sum, sumFrom, lead, amongOptions = false } = props
  return (
    <div className={styles.group} data-plain={labels === undefined || undefined}>
      <div className={styles["group-name"]}>
        {lead === undefined ? null : <span aria-hidden="true">{lead}</span>}
        <h2 role={amongOptions ? "presentation" : undefined}>{name}</h2>
        {count === undefined ? null : <span className={styles.count}>{count}</span>}
      </div>
      {labels?.map(({ text, align, from }, i) => (
        <span
          key={text === "" ? `empty ${i}` : text}
          className={classNames(styles.label, from && styles[from])}
          data-align={align}
        >
          {text}
        </span>
      ))}
      {sum === undefined ? null : (
        <span className={classNames(styles.sum, sumFrom && styles[sumFrom])}>{sum}</span>
      )}
    </div>
  )
}

type RowProps = {
  readonly lines?: 1 | 2
  /** On a phone it grows with its text. */
  readonly wraps?: boolean
  /** On a phone the third cell is below the second. */
  readonly stacks?: boolean
  readonly option?: RowOption
  readonly ghost?: boolean
  readonly href?: string
  readonly isCurrent?: boolean
  readonly children: ReactNode
}
export type RowOption = {
  readonly id: string
  readonly isSelected: boolean
  /** Its position in a tree; null for a row without children. */
  readonly branch?: {
    readonly level: number
    readonly position: number
    readonly siblings: number
    readonly isOpen: boolean | null
  }
  onPick(): void
}

export function Row(props: RowProps) {
  const { lines = 1, wraps = false, option, ghost = false, href, isCurrent = false } = props
  const { stacks = false, children } = props
  const current = isCurrent ? "true" : undefined
  const className = classNames(
    styles.row,
    lines === 2 && styles.two,
    wraps && styles.wraps,
    stacks && styles.stacks,
    ghost && styles.ghost,
  )
  if (href !== undefined) {
    return (
      <a className={className} data-row href={href} aria-current={current}>
        {children}
      </a>
    )
  }
  if (option === undefined) {
    return (
      <div className={className} data-row aria-current={current}>
        {children}
      </div>
    )
  }
  return (
    // The surrounding listbox has the focus and handles the keys.
    <div
      className={className}
      data-row
      role={option.branch === undefined ? "option" : "treeitem"}
      id={option.id}
      aria-selected={option.isSelected}
      aria-level={option.branch?.level}
      aria-posinset={option.branch?.position}
      aria-setsize={option.branch?.siblings}
      aria-expanded={option.branch?.isOpen ?? undefined}
      tabIndex={-1}
      onClick={option.onPick}
    >
      {children}
    </div>
  )
}

export function RowLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a className={classNames(styles.lead, styles.stretch)} href={href} title={children}>
      {children}
    </a>
  )
}

type CellProps = {
  readonly from?: "wide" | "roomy"
  readonly lead?: boolean
  readonly above?: boolean
  readonly children?: ReactNode
}

export function Cell({ from, lead = false, above = false, children }: CellProps) {
  return (
    <div className={classNames(from && styles[from], lead && styles.lead, above && styles.above)}>
      {children}
    </div>
  )
}

type TextCellProps = Omit<ComponentProps<typeof Text>, "as"> & Pick<CellProps, "from">

export function TextCell({ from, ...text }: TextCellProps) {
  return (
    <Cell {...(from === undefined ? {} : { from })}>
      <Text as="div" {...text} />
    </Cell>
  )
}

export function NameCell({ children }: { readonly children: ReactNode }) {
  return <div className={classNames(styles.name, styles.lead)}>{children}</div>
}

type NarrowEndProps = { readonly above?: boolean; readonly children: ReactNode }

export function NarrowEnd({ above = false, children }: NarrowEndProps) {
  return <div className={classNames(styles["narrow-end"], above && styles.above)}>{children}</div>
}

export function VisuallyHidden({ children }: { readonly children: string }) {
  return <span className={styles.heard}>{children}</span>
}

type NarrowLineProps = {
  readonly align?: "end"
  readonly onPhone?: boolean
  readonly children: ReactNode
}

export function NarrowLine({ align, onPhone = false, children }: NarrowLineProps) {
  const className = classNames(styles["only-narrow"], onPhone && styles["on-phone"])
  return (
    <div className={className} data-align={align}>
      {children}
    </div>
  )
}

type FigureCellProps = {
  readonly unit: string
  readonly tone?: "2" | "3"
  readonly children: string
}

/** A number under a column label; on a phone, without labels, its unit is below it. */
export function FigureCell({ unit, tone = "2", children }: FigureCellProps) {
  return (
    <div>
      <Text as="div" mono tone={tone} align="end">
        {children}
      </Text>
      {children === "" ? null : (
        <NarrowLine align="end" onPhone>
          {unit}
        </NarrowLine>
      )}
    </div>
  )
}

export function OnPhone({ children }: { readonly children: ReactNode }) {
  return <div className={styles["on-phone"]}>{children}</div>
}

export function RowNote({ children }: { readonly children: ReactNode }) {
  return <div className={styles.note}>{children}</div>
}

export function RowSkeleton({ rows }: { readonly rows: number }) {
  return (
    <div aria-busy="true">
      {Array.from({ length: rows }, (_, i) => (
        <div key={`skeleton ${i}`} className={styles.note}>
          <div className={styles.skeleton} style={{ width: `${56 - ((i * 17) % 30)}%` }} />
        </div>
      ))}
    </div>
  )
}
