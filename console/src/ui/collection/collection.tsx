import { type ReactNode, type Ref, type RefObject, useId, useMemo, useRef } from "react"
import { Button } from "../button/button.tsx"
import { LoadFailure, type Missing } from "../failure/failure.tsx"
import { FilterField } from "../field/field.tsx"
import { useKey } from "../keys/keys.tsx"
import { type ColumnWidths, RowNote, type RowOption, RowSkeleton } from "../list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../list/virtual-list.tsx"
import { PaneHead } from "../pane/pane.tsx"
import { Split } from "../split/split.tsx"
import { type Facet, Facets } from "../tabs/tabs.tsx"

type CollectionPageProps = {
  /** Key under which the width of the detail is stored. */
  readonly name: string
  readonly header: ReactNode
  readonly list: ReactNode
  readonly detail: ReactNode
  readonly detailPx?: number
  /** Action of Escape. */
  readonly onLeave?: (() => void) | undefined
}

export function CollectionPage(props: CollectionPageProps) {
  const { name, header, list, detail, detailPx, onLeave } = props
  useKey("leave", onLeave)
  return (
    <>
      {header}
      <Split
        name={name}
        {...(detailPx === undefined ? {} : { startPx: detailPx })}
        list={list}
        detail={detail}
      />
    </>
  )
}

export type ListRef = RefObject<VirtualListHandle | null>

export const useListRef = (): ListRef => useRef<VirtualListHandle>(null)

type FilterHeadProps = {
  readonly label: string
  readonly text: string
  /** The list that gets the focus when the filter is left. */
  readonly list: ListRef
  readonly actions?: ReactNode
  readonly children?: ReactNode
  onText(text: string): void
}

export function FilterHead({ label, text, list, actions, children, onText }: FilterHeadProps) {
  return (
    <PaneHead edge="page" actions={actions}>
      <FilterField
        label={label}
        value={text}
        onChange={onText}
        onLeave={() => list.current?.focus()}
      />
      {children}
    </PaneHead>
  )
}

type FacetHeadProps<Value extends string> = {
  readonly label: string
  /** Key that selects the next filter. */
  readonly keyId?: string
  readonly facets: readonly (Facet & { readonly value: Value })[]
  readonly active: Value
  onPick(value: Value): void
}

export function FacetHead<Value extends string>(props: FacetHeadProps<Value>) {
  const { label, keyId, facets, active, onPick } = props
  const index = facets.findIndex((it) => it.value === active)
  const pick = (facet: { readonly value: Value } | undefined) => {
    if (facet !== undefined) onPick(facet.value)
  }
  useKey(
    keyId ?? "",
    keyId === undefined ? undefined : () => pick(facets[(index + 1) % facets.length]),
  )
  return (
    <PaneHead edge="page">
      <Facets
        label={label}
        facets={facets}
        active={active}
        onPick={(value) => pick(facets.find((it) => it.value === value))}
      />
    </PaneHead>
  )
}

export type LoadedQuery<Data> = {
  readonly data: Data | undefined
  readonly error: unknown
  refetch(): unknown
}

type LoadedProps<Data> = {
  readonly query: LoadedQuery<Data>
  readonly rows: number
  readonly missing?: Missing
  children(data: Data): ReactNode
}

/** Error, skeleton or data of a query; an error never hides known data. */
export function Loaded<Data>({ query, rows, missing, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  return (
    <>
      <LoadFailure error={error} missing={missing} onRetry={() => void refetch()} />
      {error === null && data === undefined ? <RowSkeleton rows={rows} /> : null}
      {data === undefined ? null : children(data)}
    </>
  )
}

type NoMatchProps = {
  readonly children: ReactNode
  readonly verb?: string
  onShowAll(): void
}

export function NoMatch({ children, verb = "Show all", onShowAll }: NoMatchProps) {
  return (
    <RowNote>
      {children}
      <Button small onPress={onShowAll}>
        {verb}
      </Button>
    </RowNote>
  )
}

type CollectionListProps<Item> = {
  readonly label: string
  readonly columns: ColumnWidths
  readonly items: readonly Item[]
  readonly at: string
  readonly head?: ReactNode
  readonly role?: "tree"
  readonly lines?: 1 | 2
  /** On a phone its rows grow with their text. */
  readonly wraps?: boolean
  readonly sticksToEnd?: boolean
  /** Of two lists side by side only one handles the keys. */
  readonly isActive?: boolean
  /** Key that opens the selected item, or selects the first. */
  readonly openKey?: string
  readonly ref?: Ref<VirtualListHandle>
  keyOf(item: NoInfer<Item>): string
  idOf?(item: NoInfer<Item>): string
  /** Items that are no options; keys skip them. */
  isHeading?(item: NoInfer<Item>): boolean
  /** Items with the height of a heading; by default the headings. */
  isGroup?(item: NoInfer<Item>): boolean
  onMove(key: string): void
  onOpen(item: NoInfer<Item>, how: "press" | "key"): void
  renderItem(item: NoInfer<Item>, option: RowOption): ReactNode
}

export function CollectionList<Item>(props: CollectionListProps<Item>) {
  const { items, at, isActive = true, openKey, keyOf, isHeading = never, onMove, onOpen } = props
  const listId = useId()
  const indexes = useMemo(() => new Map(items.map((it, i) => [keyOf(it), i])), [items])
  const options = isHeading === never ? items : items.filter((it) => !isHeading(it))
  const index = options.findIndex((it) => keyOf(it) === at)
  const selected = options[index]
  const idOf = props.idOf ?? ((item: Item) => `${listId}${indexes.get(keyOf(item)) ?? 0}`)
  useMoveKeys({ keys: options.map(keyOf), at, isActive, onMove })
  const first = options[0]
  const open = () => {
    if (selected !== undefined) onOpen(selected, "key")
    else if (first !== undefined) onMove(keyOf(first))
  }
  useKey(openKey ?? "", openKey === undefined || !isActive ? undefined : open)
  return (
    <VirtualList
      ref={props.ref ?? null}
      {...(props.role === undefined ? {} : { role: props.role })}
      {...(props.lines === undefined ? {} : { lines: props.lines })}
      wraps={props.wraps ?? false}
      label={props.label}
      columns={props.columns}
      head={props.head}
      items={items}
      keyOf={keyOf}
      isGroup={props.isGroup ?? isHeading}
      activeIndex={selected === undefined ? -1 : (indexes.get(at) ?? -1)}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={props.sticksToEnd ?? false}
      sticksGroups={isHeading !== never && props.isGroup === undefined}
      renderItem={(it) =>
        props.renderItem(it, {
          id: idOf(it),
          isSelected: it === selected,
          onPick: () => onOpen(it, "press"),
        })
      }
    />
  )
}

const never = () => false

type MoveKeys = {
  readonly keys: readonly string[]
  readonly at: string
  readonly isActive?: boolean
  onMove(key: string): void
}

function useMoveKeys({ keys, at, isActive = true, onMove }: MoveKeys): void {
  const index = keys.indexOf(at)
  const moveTo = (to: () => string | undefined) =>
    isActive
      ? () => {
          const key = to()
          if (key !== undefined) onMove(key)
        }
      : undefined
  useKey(
    "list.next",
    moveTo(() => keys[index + 1]),
  )
  useKey(
    "list.previous",
    moveTo(() => keys[index < 0 ? keys.length - 1 : index - 1]),
  )
  useKey(
    "list.first",
    moveTo(() => keys[0]),
  )
  useKey(
    "list.last",
    moveTo(() => keys.at(-1)),
  )
}

type TreeKeys<Line> = {
  /** Prefix of the keys `<scope>.unfold` and `<scope>.fold`. */
  readonly scope: string
  readonly lines: readonly Line[]
  readonly at: string
  keyOf(line: Line): string
  parentKeyOf(line: Line): string
  isOpen(line: Line): boolean | null
  onTurn(line: Line): void
  onMove(key: string): void
}

export function useTreeKeys<Line>(tree: TreeKeys<Line>): void {
  const { scope, lines, at, keyOf, parentKeyOf, isOpen, onTurn, onMove } = tree
  const index = lines.findIndex((it) => keyOf(it) === at)
  const selected = lines[index]
  const moveTo = (line: Line | undefined) => {
    if (line !== undefined) onMove(keyOf(line))
  }
  const unfold = (line: Line) => {
    if (isOpen(line) === false) onTurn(line)
    else if (isOpen(line) === true) moveTo(lines[index + 1])
  }
  const fold = (line: Line) => {
    if (isOpen(line) === true) onTurn(line)
    else moveTo(lines.find((it) => keyOf(it) === parentKeyOf(line)))
  }
  useKey(`${scope}.unfold`, selected === undefined ? undefined : () => unfold(selected))
  useKey(`${scope}.fold`, selected === undefined ? undefined : () => fold(selected))
}
