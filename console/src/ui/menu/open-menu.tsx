import { Menu } from "@base-ui/react/menu"
import { type RefObject, useEffect, useEffectEvent } from "react"
import { Icon } from "../icon/icon.tsx"
import styles from "./menu.module.css"
import type { MenuChoice } from "./menu.tsx"

type OpenMenuProps = {
  readonly label: string
  readonly choices: readonly MenuChoice[]
  readonly value: string
  readonly trigger: RefObject<HTMLButtonElement | null>
  onPick(value: string): void
  onClose(): void
}

export function OpenMenu({ label, choices, value, trigger, onPick, onClose }: OpenMenuProps) {
  useHidden(trigger, onClose)
  return (
    <Menu.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Menu.Portal>
        <Menu.Positioner
          className={styles.place}
          anchor={trigger}
          sideOffset={6}
          align="start"
          collisionPadding={8}
        >
          <Menu.Popup className={styles.menu} aria-label={label} finalFocus={trigger}>
            <Menu.RadioGroup value={value} onValueChange={(it) => onPick(String(it))}>
              {choices.map((it) => (
                <Menu.RadioItem
                  key={it.value}
                  className={styles.item}
                  data-single={it.detail === undefined || undefined}
                  value={it.value}
                  label={it.label}
                  disabled={it.problem !== undefined}
                  title={it.problem}
                  closeOnClick
                >
                  <span className={styles.mark}>
                    {it.value === value ? <Icon name="check" /> : null}
                  </span>
                  <span className={styles.text}>
                    <b>{it.label}</b>
                    {it.detail === undefined ? null : <small>{it.detail}</small>}
                  </span>
                  {it.aside === undefined ? null : <span className={styles.aside}>{it.aside}</span>}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

/** A page that becomes narrow may hide the button, and a menu without one has no place. */
function useHidden(trigger: RefObject<HTMLButtonElement | null>, onHidden: () => void): void {
  const check = useEffectEvent((button: HTMLButtonElement) => {
    if (button.getClientRects().length === 0) onHidden()
  })
  useEffect(() => {
    const button = trigger.current
    if (button === null) return
    const observer = new ResizeObserver(() => check(button))
    observer.observe(button)
    return () => observer.disconnect()
  }, [trigger])
}
