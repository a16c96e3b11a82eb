import type { ReactNode } from "react"
import { cssPercent, visibleLine } from "../../base/format.ts"
import type { Status } from "../../base/status.ts"
import { Icon, type IconName } from "../icon/icon.tsx"
import { Path } from "../path/path.tsx"
import { StatusMark } from "../status-mark/status-mark.tsx"
import { Changes } from "../transcript/box.tsx"
import styles from "./tracks.module.css"

type TracksPageProps = {
  readonly vitals: ReactNode
  readonly bottom: ReactNode
  readonly children: ReactNode
}

/** Lanes of work beside each other, with a summary above and a table below. */
export function TracksPage({ vitals, bottom, children }: TracksPageProps) {
  return (
    <div className={styles.page}>
      <div>{vitals}</div>
      {children}
      {bottom}
    </div>
  )
}

export function Tracks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={styles.tracks} aria-label={label}>
      {children}
    </section>
  )
}

type TrackProps = {
  readonly name: string
  readonly status: Status
  readonly state: string
  readonly fact: string
  readonly isCurrent: boolean
  readonly children: ReactNode
  onPick(): void
}

export function Track(props: TrackProps) {
  const { name, status, state, fact, isCurrent, children, onPick } = props
  return (
    <section className={styles.track} aria-label={name}>
      <button type="button" className={styles.head} aria-pressed={isCurrent} onClick={onPick}>
        <StatusMark status={status} />
        <b>{state}</b>
        <span className={styles.fact}>{fact}</span>
        <span className={styles.name}>{name}</span>
      </button>
      {children}
    </section>
  )
}

type TrackPartProps = {
  readonly title?: string
  readonly aside?: ReactNode
  readonly tone?: "warn"
  readonly grows?: boolean
  readonly children: ReactNode
}

export function TrackPart({ title, aside, tone, grows, children }: TrackPartProps) {
  return (
    <div className={styles.part} data-tone={tone} data-grows={grows || undefined}>
      {title === undefined ? null : (
        <h3>
          {title}
          <span className={styles.aside}>{aside}</span>
        </h3>
      )}
      {children}
    </div>
  )
}

export function TrackLevels({ children }: { readonly children: ReactNode }) {
  return <div className={styles.levels}>{children}</div>
}

export function TrackLevel({ children }: { readonly children: ReactNode }) {
  return <div className={styles.level}>{children}</div>
}

export type TrackLine = {
  readonly key: string
  readonly time: string
  readonly icon: IconName
  readonly text: string
  readonly end: string
  readonly tone?: "bad" | undefined
}

/** Newest last; the last one is what happens now. */
export function TrackLines({ lines, isLive }: { lines: readonly TrackLine[]; isLive: boolean }) {
  return (
    <ol className={styles.lines}>
      {lines.map((it, at) => {
        const isNow = isLive && at === lines.length - 1
        return (
          <li
            key={it.key}
            className={styles.line}
            data-now={isNow || undefined}
            data-tone={it.tone}
          >
            <time>{it.time}</time>
            <Icon name={it.icon} />
            <span className={styles.says} title={it.text}>
              {it.text}
            </span>
            <span className={styles.end}>{isNow && it.end === "" ? "now" : it.end}</span>
          </li>
        )
      })}
    </ol>
  )
}

type TrackFileProps = {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly isWarned: boolean
}

export function TrackFile({ path, added, removed, isWarned }: TrackFileProps) {
  return (
    <div className={styles.file} data-tone={isWarned ? "warn" : undefined}>
      {isWarned ? <Icon name="warning" /> : <span />}
      <Path path={path} />
      <Changes added={added} removed={removed} />
    </div>
  )
}

type ConflictProps = {
  /** The first and the last lane that it concerns, from 0, and its place below them. */
  readonly from: number
  readonly to: number
  readonly row: number
  readonly title: ReactNode
  readonly description: string
  readonly children: ReactNode
}

export function Conflict({ from, to, row, title, description, children }: ConflictProps) {
  const style = { "--from": from + 1, "--to": to + 2, "--row": row + 2 }
  return (
    <div className={styles.conflict} style={style} role="note" data-first={from === 0 || undefined}>
      <Icon name="warning" />
      <div>
        {title}
        <p>{description}</p>
        {children}
      </div>
    </div>
  )
}

export function TracksBottom({ aside, children }: { aside?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.bottom} data-alone={aside === undefined || undefined}>
      <div>{children}</div>
      {aside === undefined ? null : <div>{aside}</div>}
    </div>
  )
}

type PickButtonProps = { readonly children: string; onPress(): void }

/** The name of a row; pressing it selects the row. */
export function PickButton({ children, onPress }: PickButtonProps) {
  return (
    <button type="button" className={styles.pick} title={children} onClick={onPress}>
      {children}
    </button>
  )
}

export function TracksFoot({ children }: { readonly children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>
}

type DiffStatProps = {
  readonly added: number
  readonly removed: number
  /** The largest sum of the table, so that all bars have one scale. */
  readonly most: number
}

export function DiffStat({ added, removed, most }: DiffStatProps) {
  const scale = Math.max(1, most)
  return (
    <span className={styles.stat}>
      <span className={styles.bar} aria-hidden="true">
        <i style={{ width: cssPercent(added / scale) }} />
        <i style={{ width: cssPercent(removed / scale) }} />
      </span>
      <Changes added={added} removed={removed} />
    </span>
  )
}

type GradeProps = { readonly grade: number; readonly most: number; readonly description: string }

export function Grade({ grade, most, description }: GradeProps) {
  return (
    <>
      <div className={styles.grade}>
        <span>
          <b>{grade}</b> of {most}
        </span>
        <span className={styles.grades} role="img" aria-label={`${grade} of ${most}`}>
          {Array.from({ length: most }, (_, at) => (
            <i key={at} data-on={at < grade || undefined} />
          ))}
        </span>
      </div>
      <p>{visibleLine(description)}</p>
    </>
  )
}

export type Reason = {
  readonly icon: IconName
  readonly tone?: "ok" | "warn"
  readonly text: string
}

export function Reasons({ reasons }: { readonly reasons: readonly Reason[] }) {
  return (
    <ul className={styles.why}>
      {reasons.map(({ icon, tone, text }) => (
        <li key={text} data-tone={tone}>
          <Icon name={icon} />
          <span>{visibleLine(text)}</span>
        </li>
      ))}
    </ul>
  )
}
