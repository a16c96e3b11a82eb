import {
  type ReactNode,
  type Ref,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react"
import { flushSync } from "react-dom"
import styles from "./flow.module.css"
import {
  type Anchor,
  anchorAt,
  heightOf,
  layOut,
  type Range,
  rangeFor,
  topFor,
} from "./geometry.ts"

export type FlowHandle = {
  toEnd(): void
  toStart(): void
  reveal(key: string): void
  focus(): void
}

type FlowProps<Item extends { readonly key: string }> = {
  readonly label: string
  readonly items: readonly Item[]
  guessPx(item: Item): number
  renderItem(item: Item): ReactNode
  readonly tail?: ReactNode
  readonly sticks: boolean
  onNearStart(): void
  onNearEnd(): void
  onEnd(isThere: boolean): void
  readonly ref?: Ref<FlowHandle>
}

/** Drawn outside the viewport on both sides, so that fast scrolling shows no gap. */
const EXTRA_PX = 500
/** Loads more when less than this is left above or below. */
const NEAR_PX = 1_200
const END_SLACK_PX = 24
const UNKNOWN_HEIGHT_PX = 900

/**
 * Rows of any height of which only visible ones are drawn. The visible rows keep their position
 * while rows are added around them or turn out higher than estimated.
 */
export function Flow<Item extends { readonly key: string }>(props: FlowProps<Item>) {
  const { items, guessPx } = props
  const box = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const anchor = useRef<Anchor>([])
  const isAtEnd = useRef(true)
  const [heights] = useState(() => new Map<string, number>())
  const [version, setVersion] = useState(0)
  const [viewport, setSeen] = useState({ top: 0, height: UNKNOWN_HEIGHT_PX })
  // `version` changes with the content of the map.
  const geometry = useMemo(() => {
    const keys = items.map((it) => it.key)
    return layOut(keys, heights, (i) => {
      const item = items[i]
      return item === undefined ? 0 : guessPx(item)
    })
  }, [items, heights, version, guessPx])
  const end = Math.max(0, heightOf(geometry) - viewport.height)
  const staysAtEnd = props.sticks && isAtEnd.current
  const top = staysAtEnd ? end : (topFor(geometry, anchor.current) ?? viewport.top)
  const range = rangeFor(geometry, { top, height: viewport.height }, EXTRA_PX)

  const measure = () => {
    if (noteHeights(body.current, heights)) setVersion((it) => it + 1)
  }
  const noteEnd = ({ scrollTop, clientHeight, scrollHeight }: HTMLElement) => {
    const isThere = scrollHeight - scrollTop - clientHeight < END_SLACK_PX
    if (isThere !== isAtEnd.current) props.onEnd(isThere)
    isAtEnd.current = isThere
  }
  const noteScroll = () => {
    const element = box.current
    if (element === null) return
    const { scrollTop: top, clientHeight: height, scrollHeight } = element
    anchor.current = anchorAt(geometry, top)
    noteEnd(element)
    if (top < NEAR_PX) props.onNearStart()
    if (scrollHeight - top - height < NEAR_PX) props.onNearEnd()
    // Drawn before the next frame, so that a fast wheel shows no gap.
    if (isOutside(range, rangeFor(geometry, { top, height }, EXTRA_PX / 2))) {
      flushSync(() => setSeen({ top, height }))
    }
  }
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    measure()
    const scrollTop = staysAtEnd ? element.scrollHeight - element.clientHeight : top
    if (Math.abs(element.scrollTop - scrollTop) >= 1) element.scrollTop = scrollTop
    if (!staysAtEnd) noteEnd(element)
  })
  useLayoutEffect(() => {
    const [element, rows] = [box.current, body.current]
    if (element === null || rows === null) return
    const observer = new ResizeObserver(() => {
      flushSync(() => {
        if (noteHeights(rows, heights)) setVersion((it) => it + 1)
        setSeen((it) =>
          it.height === element.clientHeight
            ? it
            : { top: element.scrollTop, height: element.clientHeight },
        )
      })
    })
    observer.observe(element)
    observer.observe(rows)
    return () => observer.disconnect()
  }, [heights])
  useImperativeHandle(props.ref, () => ({
    focus: () => box.current?.focus(),
    toStart: () => scrollTo(0),
    toEnd() {
      isAtEnd.current = true
      scrollTo(heightOf(geometry) + UNKNOWN_HEIGHT_PX)
    },
    reveal(key) {
      const index = geometry.keys.indexOf(key)
      const element = box.current
      if (index < 0 || element === null) return
      const top = geometry.edges[index] ?? 0
      const bottom = geometry.edges[index + 1] ?? top
      const { scrollTop, clientHeight } = element
      const isIn = top >= scrollTop && bottom <= scrollTop + clientHeight
      if (isIn) return
      isAtEnd.current = false
      const isBelow = bottom > scrollTop + clientHeight && bottom - top < clientHeight
      scrollTo(isBelow ? bottom - clientHeight + REVEAL_PX : top - REVEAL_PX)
    },
  }))
  const scrollTo = (top: number) => {
    if (box.current === null) return
    anchor.current = anchorAt(geometry, Math.max(0, top))
    box.current.scrollTop = Math.max(0, top)
    noteScroll()
  }
  return (
    <div
      ref={box}
      className={styles.box}
      // An empty feed is invalid ARIA.
      role={items.length === 0 ? "region" : "feed"}
      aria-label={props.label}
      tabIndex={0}
      onScroll={noteScroll}
    >
      <div style={{ height: `${geometry.edges[range.from] ?? 0}px` }} />
      <div ref={body}>
        {items.slice(range.from, range.to).map((item) => (
          <div key={item.key} data-flow={item.key}>
            {props.renderItem(item)}
          </div>
        ))}
      </div>
      <div style={{ height: `${heightOf(geometry) - (geometry.edges[range.to] ?? 0)}px` }} />
      {props.tail}
    </div>
  )
}

const REVEAL_PX = 40

function isOutside(drawn: Range, needed: Range): boolean {
  return needed.from < drawn.from || needed.to > drawn.to
}

function noteHeights(body: HTMLElement | null, heights: Map<string, number>): boolean {
  let hasChanged = false
  for (const row of body?.children ?? []) {
    const key = row.getAttribute("data-flow")
    const px = row.getBoundingClientRect().height
    // A hidden row has no height.
    if (key === null || px === 0 || heights.get(key) === px) continue
    heights.set(key, px)
    hasChanged = true
  }
  return hasChanged
}
