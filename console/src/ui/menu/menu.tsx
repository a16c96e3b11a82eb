import { type ReactNode, useRef, useState } from "react"
import { Icon } from "../icon/icon.tsx"
import { useKey, useTip } from "../keys/keys.tsx"
import { useLater } from "../use-later.ts"
import styles from "./menu.module.css"

export type MenuChoice = {
  readonly value: string
  readonly label: string
  readonly detail?: string
  /** Why it cannot be chosen. */
  readonly problem?: string | undefined
  readonly aside?: string
}

type ChoiceMenuProps = {
  readonly label: string
  readonly choices: readonly MenuChoice[]
  readonly value: string
  readonly keyId?: string
  /** Drawn as a field of a form or of a toolbar. */
  readonly boxed?: "field" | "small"
  readonly disabled?: boolean
  onPick(value: string): void
  readonly children: ReactNode
}

const loadMenu = async () => (await import("./open-menu.tsx")).OpenMenu

export function ChoiceMenu(props: ChoiceMenuProps) {
  const { label, choices, value, keyId, boxed, disabled = false, onPick } = props
  const [isOpen, setIsOpen] = useState(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const { part: OpenMenu, want } = useLater(loadMenu)
  const open = () => want(() => setIsOpen(true))
  useKey(keyId ?? "", keyId === undefined || choices.length === 0 ? undefined : open)
  // The accessible name contains the visible text.
  const isNamed = boxed !== undefined && typeof props.children === "string"
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={styles.trigger}
        data-boxed={boxed}
        aria-label={isNamed ? `${label}: ${props.children}` : label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={useTip(label, keyId)}
        disabled={disabled || choices.length === 0}
        onClick={open}
      >
        <span>{props.children}</span>
        <Icon name="chevron-down" size="small" />
      </button>
      {OpenMenu === undefined || !isOpen ? null : (
        <OpenMenu
          label={label}
          choices={choices}
          value={value}
          trigger={trigger}
          onPick={onPick}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  )
}
