import { Dialog as BaseDialog } from "@base-ui/react/dialog"
import type { KeyboardEvent, ReactNode, RefObject } from "react"
import { IconButton } from "../button/button.tsx"
import styles from "./dialog.module.css"

type DialogProps = {
  readonly title: string
  readonly showsTitle?: boolean
  /** For a dialog without a button that closes it. */
  readonly hasClose?: boolean
  readonly onClose: () => void
  readonly initialFocus?: RefObject<HTMLElement | null>
  readonly children: ReactNode
}

/** Escape or a click outside closes it, and the focus returns. */
export function Dialog({
  title,
  showsTitle = false,
  hasClose = false,
  onClose,
  initialFocus,
  children,
}: DialogProps) {
  return (
    <BaseDialog.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.scrim} />
        <BaseDialog.Popup
          className={styles.dialog}
          {...(initialFocus === undefined ? {} : { initialFocus })}
        >
          <BaseDialog.Title className={showsTitle ? styles.title : styles["hidden-title"]}>
            {title}
          </BaseDialog.Title>
          {children}
          {hasClose ? (
            <div className={styles.close}>
              <IconButton icon="close" label="Close" onPress={onClose} />
            </div>
          ) : null}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

export function DialogText({ children }: { readonly children: ReactNode }) {
  return <p className={styles.text}>{children}</p>
}

type DialogLinesProps = { readonly lines: readonly string[]; readonly label?: string }

export function DialogLines({ lines, label = "Affected items" }: DialogLinesProps) {
  return (
    <ul className={styles.lines} tabIndex={0} aria-label={label}>
      {lines.map((it) => (
        <li key={it}>{it}</li>
      ))}
    </ul>
  )
}

type DialogEntryProps = {
  onKeyDown(event: KeyboardEvent): void
  readonly children: ReactNode
}

export function DialogEntry({ onKeyDown, children }: DialogEntryProps) {
  return (
    <div className={styles.entry} onKeyDown={onKeyDown}>
      {children}
    </div>
  )
}

export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>
}
