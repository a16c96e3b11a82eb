import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react"
import { useKeyBindings } from "../keys/keys.tsx"
import type { ColumnWidths, RowOption } from "../list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../list/virtual-list.tsx"
import styles from "./pick-list.module.css"

type PickListProps<Line> = {
  readonly label: string
  readonly columns: ColumnWidths
  readonly lines: readonly Line[]
  readonly takesFocus?: boolean
  keyOf(line: NoInfer<Line>): string
  isHeading(line: NoInfer<Line>): boolean
  onOpen(line: NoInfer<Line>): void
  renderLine(line: NoInfer<Line>, option: RowOption): ReactNode
}

export function PickList<Line>(props: PickListProps<Line>) {
  const { lines, takesFocus = false, keyOf, isHeading, onOpen } = props
  const { keysOf } = useKeyBindings()
  const [at, setAt] = useState<string | null>(null)
  const listId = useId()
  const list = useRef<VirtualListHandle>(null)
  useEffect(() => {
    if (takesFocus) list.current?.focus()
  }, [takesFocus])
  const index = lines.findIndex((it) => keyOf(it) === at && !isHeading(it))
  const selected = lines[index]
  const go = (to: Line | undefined) => (to === undefined ? undefined : setAt(keyOf(to)))
  const press = (event: KeyboardEvent) => {
    const isFor = (id: string, key: string) => event.key === key || keysOf(id).includes(event.key)
    const act = () => {
      if (isFor("list.next", "ArrowDown")) return () => go(nextOption(lines, index, isHeading))
      if (isFor("list.previous", "ArrowUp")) return () => go(optionBefore(lines, index, isHeading))
      if (isFor("list.first", "Home")) return () => go(lines.find((it) => !isHeading(it)))
      if (isFor("list.last", "End")) return () => go(lines.findLast((it) => !isHeading(it)))
      if (event.key !== "Enter" || selected === undefined) return undefined
      return () => onOpen(selected)
    }
    const target = event.metaKey || event.ctrlKey || event.altKey ? undefined : act()
    if (target === undefined) return
    event.preventDefault()
    event.stopPropagation()
    target()
  }
  const idOf = (line: Line) => `${listId}${lines.indexOf(line)}`
  return (
    <div className={styles.box} role="presentation" onKeyDown={press}>
      <VirtualList
        ref={list}
        label={props.label}
        columns={props.columns}
        items={lines}
        keyOf={keyOf}
        isGroup={isHeading}
        activeIndex={index}
        activeId={selected === undefined ? undefined : idOf(selected)}
        sticksToEnd={false}
        renderItem={(it) =>
          props.renderLine(it, {
            id: idOf(it),
            isSelected: it === selected,
            onPick: () => onOpen(it),
          })
        }
      />
    </div>
  )
}

type IsHeading<Line> = (line: Line) => boolean

function nextOption<Line>(lines: readonly Line[], index: number, isHeading: IsHeading<Line>) {
  return lines.slice(index + 1).find((it) => !isHeading(it))
}

function optionBefore<Line>(lines: readonly Line[], index: number, isHeading: IsHeading<Line>) {
  return lines.slice(0, index < 0 ? lines.length : index).findLast((it) => !isHeading(it))
}
