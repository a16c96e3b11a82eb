import { createContext, type ReactNode, useContext, useEffect } from "react"
import { IconButton } from "../button/button.tsx"
import { classNames } from "../class-names.ts"
import { Icon, type IconName } from "../icon/icon.tsx"
import { KeyHint, useKeyBindings } from "../keys/keys.tsx"
import { Mark } from "../mark/mark.tsx"
import styles from "./frame.module.css"

type FrameProps = {
  readonly isSideHidden: boolean
  readonly side: ReactNode
  readonly status: ReactNode
  readonly children: ReactNode
}

export function Frame({ isSideHidden, side, status, children }: FrameProps) {
  return (
    <div className={styles.frame} data-side={isSideHidden ? "hidden" : "shown"}>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <aside className={styles.side} aria-label="Pages">
        {side}
      </aside>
      <main className={styles.main} id="page" tabIndex={-1}>
        {children}
      </main>
      <footer className={styles.status} aria-label="Status">
        {status}
      </footer>
    </div>
  )
}

type BrandProps = {
  readonly href: string
  /** Approvals that wait elsewhere. */
  readonly waiting: number
  readonly children: ReactNode
}

export function Brand({ href, waiting, children }: BrandProps) {
  return (
    <div className={styles.brand}>
      <a href={href} aria-label="Quartermaster">
        <Mark size={16} />
      </a>
      <span>{children}</span>
      {waiting === 0 ? null : (
        <span
          className={styles.count}
          data-tone="warn"
          title={`${waiting} waiting in other repositories`}
        >
          {waiting}
        </span>
      )}
    </div>
  )
}

export function FindButton({ onPress }: { readonly onPress: () => void }) {
  return (
    <button type="button" className={styles.find} onClick={onPress}>
      <Icon name="search" />
      <span>Search or run</span>
      <KeyHint id="palette.open" />
    </button>
  )
}

export function Nav({ children }: { readonly children: ReactNode }) {
  return <nav className={styles.nav}>{children}</nav>
}

export function NavHeading({ children }: { readonly children: string }) {
  return <h2 className={styles.heading}>{children}</h2>
}

export function NavFoot({ children }: { readonly children: ReactNode }) {
  return (
    <nav className={styles.foot} aria-label="More pages">
      {children}
    </nav>
  )
}

type NavLinkProps = {
  readonly href: string
  readonly icon: IconName
  readonly label: string
  readonly isCurrent: boolean
  readonly count?: number
  readonly tone?: "warn"
}

export function NavLink({ href, icon, label, isCurrent, count, tone }: NavLinkProps) {
  return (
    <a className={styles.place} href={href} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} />
      {label}
      {count === undefined ? null : (
        <span className={styles.count} data-tone={tone}>
          {count}
        </span>
      )}
    </a>
  )
}

type HeaderProps = {
  readonly title: ReactNode
  /** Of the object that the page shows, for the browser's tab; by default the title. */
  readonly name?: string | undefined
  readonly parent?: { readonly label: string; readonly href: string }
  readonly facts?: ReactNode
  /** A page of one object: on a phone a link back to the parent replaces the palette's button. */
  readonly isDetail?: boolean
  readonly children?: ReactNode
}

/** Around the name of a page in the browser's tab: what waits, and the repository. */
export const TabTitleContext = createContext({ before: "", after: "Quartermaster" })

export function Header(props: HeaderProps) {
  const { title, name, parent, facts, isDetail = false, children } = props
  const { before, after } = useContext(TabTitleContext)
  const object = name ?? (typeof title === "string" ? title : undefined)
  const tab = [object, parent?.label, after].filter((it) => it !== undefined && it !== "")
  const tabTitle = `${before}${[...new Set(tab)].join(", ")}`
  useEffect(() => {
    document.title = tabTitle
  }, [tabTitle])
  const { press } = useKeyBindings()
  const palette = (
    <IconButton icon="menu" label="Search or run" onPress={() => press("palette.open")} />
  )
  return (
    <header className={styles.header} data-detail={isDetail || undefined}>
      <div className={styles["only-narrow"]}>
        {isDetail && parent !== undefined ? (
          <a className={styles.back} href={parent.href} aria-label={`Back to ${parent.label}`}>
            <Icon name="back" />
          </a>
        ) : (
          palette
        )}
      </div>
      <div className={styles.crumb}>
        {parent === undefined ? null : (
          <>
            <a href={parent.href}>{parent.label}</a>
            <span className={styles.slash}>/</span>
          </>
        )}
        <h1>{title}</h1>
        {facts}
      </div>
      <div className={styles.actions}>{children}</div>
    </header>
  )
}

type StatusItemProps = {
  readonly icon?: IconName
  readonly dot?: "ok" | "warn" | "off"
  readonly tone?: "warn"
  readonly onPress?: () => void
  readonly label?: string
  readonly push?: boolean
  readonly wide?: boolean
  readonly children: ReactNode
}

export function StatusItem(props: StatusItemProps) {
  const { icon, dot, tone, onPress, push = false, wide = false } = props
  const className = classNames(
    styles.item,
    push && styles.push,
    wide && styles.wide,
    tone && styles[`tone-${tone}`],
  )
  const content = (
    <>
      {icon === undefined ? null : <Icon name={icon} />}
      {dot === undefined ? null : <i className={styles.dot} data-tone={dot} />}
      {props.children}
    </>
  )
  if (onPress === undefined) return <span className={className}>{content}</span>
  return (
    <button type="button" className={className} aria-label={props.label} onClick={onPress}>
      {content}
    </button>
  )
}
