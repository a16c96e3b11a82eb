import {
  defaultRangeExtractor,
  measureElement,
  type Range,
  useVirtualizer,
} from "@tanstack/react-virtual"
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react"
import styles from "./list.module.css"
import { type ColumnWidths, columnStyle } from "./list.tsx"

export type VirtualListHandle = { focus(): void }

type VirtualListProps<Item> = {
  readonly role?: "tree"
  readonly label: string
  readonly columns: ColumnWidths
  readonly items: readonly Item[]
  keyOf(item: Item): string
  isGroup(item: Item): boolean
  readonly lines?: 1 | 2
  /** On a phone its rows grow with their text. */
  readonly wraps?: boolean
  renderItem(item: Item): ReactNode
  readonly activeIndex: number
  readonly activeId: string | undefined
  readonly sticksToEnd: boolean
  /** The group of the first visible row stays at the top. */
  readonly sticksGroups?: boolean
  readonly head?: ReactNode
  readonly ref?: Ref<VirtualListHandle>
}

const GROUP_PX = 30
const HEAD_PX = 28
const OVERSCAN_ROWS = 12
/** Within this distance the list counts as scrolled to its end. */
const END_SLACK_PX = 16

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, activeIndex, sticksToEnd, sticksGroups = false, keyOf, isGroup } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const rowHeight = useRowHeight(props.lines)
  const headPx = useHeadHeight(props.head !== undefined, scroller)
  const stuck = useRef(-1)
  const groups = useMemo(
    () => (sticksGroups ? items.flatMap((it, index) => (isGroup(it) ? [index] : [])) : []),
    [items, sticksGroups],
  )
  const stuckGroup = ({ startIndex }: Range) => {
    stuck.current = groups.findLast((it) => it <= startIndex) ?? -1
    return stuck.current
  }
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const item = items[index]
      return item !== undefined && isGroup(item) ? GROUP_PX : rowHeight
    },
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
    measureElement: (...element) => measureElement(...element) || rowHeight,
    overscan: OVERSCAN_ROWS,
    scrollMargin: headPx,
    scrollPaddingStart: headPx + (sticksGroups ? GROUP_PX : 0),
    rangeExtractor: (range) => withGroup(range, stuckGroup(range)),
  })
  useEffect(() => virtual.measure(), [virtual, rowHeight])
  useEffect(() => {
    if (activeIndex >= 0) virtual.scrollToIndex(activeIndex, { align: "auto" })
  }, [virtual, activeIndex, rowHeight])
  const height = virtual.getTotalSize()
  const drawn = virtual.getVirtualItems()
  useLayoutEffect(() => {
    const staysAtEnd = sticksToEnd && isAtEnd.current && activeIndex < 0
    // The height of the list is known, so it can scroll to its end before drawing a row.
    if (staysAtEnd && scroller.current !== null) scroller.current.scrollTop = height
  }, [sticksToEnd, height, activeIndex])
  useImperativeHandle(props.ref, () => ({ focus: () => scroller.current?.focus() }))
  const noteEnd = () => {
    const box = scroller.current
    if (box === null) return
    isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < END_SLACK_PX
  }
  return (
    <div
      ref={scroller}
      className={styles.listbox}
      style={columnStyle(props.columns)}
      role={props.role ?? "listbox"}
      aria-label={props.label}
      // Only a drawn row can be referenced.
      aria-activedescendant={
        drawn.some((it) => it.index === activeIndex) ? props.activeId : undefined
      }
      tabIndex={0}
      onScroll={noteEnd}
    >
      {props.head}
      <div className={styles.canvas} role="presentation" style={{ height: `${height}px` }}>
        {drawn.map((virtualItem) => {
          const item = items[virtualItem.index]
          if (item === undefined) return null
          return (
            <div
              key={virtualItem.key}
              ref={props.wraps === true ? virtual.measureElement : undefined}
              data-index={virtualItem.index}
              className={virtualItem.index === stuck.current ? styles.stuck : styles.placed}
              role="presentation"
              style={
                virtualItem.index === stuck.current
                  ? { top: `${headPx}px` }
                  : { transform: `translateY(${virtualItem.start - headPx}px)` }
              }
            >
              {props.renderItem(item)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function withGroup(range: Range, group: number): number[] {
  const indexes = defaultRangeExtractor(range)
  return group < 0 || indexes.includes(group) ? indexes : [group, ...indexes]
}

/** A pane as narrow as a phone has no column labels (list.module.css). */
const HEADLESS_BELOW_PX = 520

function useHeadHeight(hasHead: boolean, box: RefObject<HTMLElement | null>): number {
  const [isNarrow, setIsNarrow] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (!hasHead || element === null) return
    const observer = new ResizeObserver(() => {
      setIsNarrow(element.clientWidth <= HEADLESS_BELOW_PX)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [hasHead, box])
  return hasHead && !isNarrow ? HEAD_PX : 0
}

const FALLBACK_PX = 30

function useRowHeight(lines: 1 | 2 = 1): number {
  return useSyncExternalStore(watch, lines === 1 ? readOne : readTwo, () => FALLBACK_PX)
}

const readOne = (): number => read("--row")
const readTwo = (): number => read("--row-2")

function watch(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ["data-density"] })
  window.addEventListener("resize", changed)
  return () => {
    observer.disconnect()
    window.removeEventListener("resize", changed)
  }
}

function read(name: string): number {
  const px = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name))
  return Number.isFinite(px) ? px : FALLBACK_PX
}
