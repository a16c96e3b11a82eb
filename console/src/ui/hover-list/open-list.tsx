import { Popover } from "@base-ui/react/popover"
import type { RefObject } from "react"
import styles from "./hover-list.module.css"
import type { HoverLine } from "./hover-list.tsx"

type OpenListProps = {
  readonly title: string
  readonly lines: readonly HoverLine[]
  readonly foot?: string
  readonly takesFocus: boolean
  readonly trigger: RefObject<HTMLButtonElement | null>
  onEnter(): void
  onLeave(): void
  onClose(): void
}

export function OpenList(props: OpenListProps) {
  const { title, lines, foot, takesFocus, trigger, onEnter, onLeave, onClose } = props
  return (
    <Popover.Root open onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Popover.Portal>
        <Popover.Positioner
          className={styles.place}
          anchor={trigger}
          sideOffset={6}
          align="end"
          collisionPadding={8}
        >
          <Popover.Popup
            className={styles.list}
            initialFocus={takesFocus}
            finalFocus={takesFocus ? trigger : false}
            onMouseEnter={onEnter}
            onMouseLeave={onLeave}
          >
            <Popover.Title className={styles.title}>{title}</Popover.Title>
            <ul tabIndex={0} aria-label={title}>
              {lines.map((it) => (
                <li key={it.key} data-tone={it.tone}>
                  <div>{it.lead}</div>
                  <p>{it.description}</p>
                </li>
              ))}
            </ul>
            {foot === undefined ? null : <p className={styles.foot}>{foot}</p>}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
