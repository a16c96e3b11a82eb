import type { ReactNode, RefObject } from "react"
import type { SessionsParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import type { ColumnWidths, RowOption } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"

type PickListProps<Item> = {
  readonly label: string
  readonly columns: ColumnWidths
  readonly head: ReactNode
  readonly items: readonly Item[]
  readonly params: SessionsParams
  readonly handle: RefObject<VirtualListHandle | null>
  keyOf(item: Item): string
  renderItem(item: Item, option: RowOption): ReactNode
  onParams(change: Partial<SessionsParams>, how?: "push" | "replace"): void
}

/** The three lists of this page move and open alike. */
export function PickList<Item>(props: PickListProps<Item>) {
  const { items, params, keyOf, onParams } = props
  const index = items.findIndex((it) => keyOf(it) === params.at)
  const selected = items[index]
  const moveTo = (item: Item | undefined) =>
    item === undefined ? undefined : onParams({ at: keyOf(item) }, "replace")
  const open = (item: Item) => onParams({ at: keyOf(item), show: keyOf(item) })
  useKey("list.next", () => moveTo(items[index + 1]))
  useKey("list.previous", () => moveTo(items[index < 0 ? items.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(items[0]))
  useKey("list.last", () => moveTo(items.at(-1)))
  useKey("sessions.open", () => (selected === undefined ? moveTo(items[0]) : open(selected)))
  const idOf = (item: Item) => `${params.tab}-${items.indexOf(item)}`
  return (
    <VirtualList
      ref={props.handle}
      label={props.label}
      columns={props.columns}
      head={props.head}
      items={items}
      keyOf={keyOf}
      isGroup={() => false}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) =>
        props.renderItem(it, {
          id: idOf(it),
          isSelected: it === selected,
          onPick: () => open(it),
        })
      }
    />
  )
}
