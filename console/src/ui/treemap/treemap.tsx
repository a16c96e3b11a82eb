import { type ReactNode, useId, useLayoutEffect, useMemo, useRef, useState } from "react"
import { visibleLine } from "../../base/format.ts"
import { formatCount } from "../../contract.ts"
import { KeyHint, useKey } from "../keys/keys.tsx"
import {
  layoutTreemap,
  spotBeside,
  type TreemapItem,
  type TreemapSpot,
  type TreemapTile,
} from "./layout.ts"
import styles from "./treemap.module.css"

type TreemapProps = {
  readonly label: string
  readonly items: readonly TreemapItem[]
  /** The folder that fills the plane. */
  readonly folder: string
  /** Key of the selected spot: a path, with a slash at its end for a folder. */
  readonly at: string
  /** Key of the spot that the page shows beside the plane. */
  readonly shown: string
  /** Prefix of the keys `<scope>.unfold`, `.fold`, `.open` and `.up`. */
  readonly scope: string
  stepOf(tile: TreemapTile): 1 | 2 | 3 | 4 | 5
  describe(spot: TreemapSpot): string
  renderCard(spot: TreemapSpot): ReactNode
  onMove(key: string): void
  /** A press of the pointer, or Enter on the selected spot. */
  onOpen(spot: TreemapSpot, how: "press" | "key"): void
  onUp(): void
}

const USUAL_PX = { width: 792, height: 700 }

export function Treemap(props: TreemapProps) {
  const { items, folder, at, scope, onMove } = props
  const { box, size } = useSize()
  const [pointed, setPointed] = useState<string | null>(null)
  const id = useId()
  const spots = useMemo(() => layoutTreemap(items, { folder, ...size }), [items, folder, size])
  const index = spots.findIndex((it) => it.key === at)
  const selected = spots[index]
  const move = (direction: "left" | "right" | "up" | "down") => () => {
    const next = selected === undefined ? spots[0] : spotBeside(spots, selected, direction)
    if (next !== undefined) onMove(next.key)
  }
  useKey("list.next", move("down"))
  useKey("list.previous", move("up"))
  useKey(`${scope}.unfold`, move("right"))
  useKey(`${scope}.fold`, move("left"))
  useKey(`${scope}.up`, props.onUp)
  useKey(`${scope}.open`, () =>
    selected === undefined ? move("down")() : props.onOpen(selected, "key"),
  )
  const shown = spots.find((it) => spotId(it) === pointed) ?? (at === "" ? undefined : selected)
  return (
    <div className={styles.box}>
      <div
        ref={box}
        className={styles.plane}
        role="listbox"
        aria-label={props.label}
        aria-activedescendant={selected === undefined ? undefined : `${id}${index}`}
        tabIndex={0}
        onPointerLeave={() => setPointed(null)}
      >
        {spots.map((it, i) => (
          <Spot
            key={spotId(it)}
            spot={it}
            id={`${id}${i}`}
            step={it.kind === "tile" ? props.stepOf(it) : 1}
            label={props.describe(it)}
            isSelected={it === selected}
            isShown={it.key === props.shown}
            onPoint={() => setPointed(spotId(it))}
            onPress={() => props.onOpen(it, "press")}
          />
        ))}
        {shown === undefined ? null : (
          <div className={styles.card} aria-hidden="true" style={besideOf(shown, size)}>
            {props.renderCard(shown)}
          </div>
        )}
      </div>
    </div>
  )
}

const spotId = ({ kind, key }: TreemapSpot) => `${kind} ${key}`

function useSize() {
  const box = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState(USUAL_PX)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])
  return { box, size }
}

type SpotProps = {
  readonly spot: TreemapSpot
  readonly id: string
  readonly step: number
  readonly label: string
  readonly isSelected: boolean
  readonly isShown: boolean
  onPoint(): void
  onPress(): void
}

function Spot({ spot, id, step, label, isSelected, isShown, onPoint, onPress }: SpotProps) {
  const { x, y, w, h } = spot
  const shared = {
    id,
    role: "option",
    "aria-label": label,
    "aria-selected": isSelected,
    "data-shown": isShown || undefined,
    style: { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` },
    onPointerEnter: onPoint,
    onClick: onPress,
  }
  if (spot.kind === "frame") {
    const hasCount = spot.depth === 0 && hasRoom(spot.name, w)
    const shown = [visibleLine(spot.name), ...(hasCount ? [formatCount(spot.weight)] : [])].join(
      " ",
    )
    return (
      // The accessible name contains the shown text, for people who speak what they see.
      <div
        {...shared}
        aria-label={`${shown}: ${label}`}
        className={styles.frame}
        data-depth={spot.depth === 0 ? 0 : 1}
      >
        {spot.headerPx === 0 ? null : (
          <span className={styles.name} style={{ lineHeight: `${spot.headerPx}px` }}>
            <b>{visibleLine(spot.name)}</b> {hasCount ? <i>{formatCount(spot.weight)}</i> : null}
          </span>
        )}
      </div>
    )
  }
  const lines = [
    ...spot.label.map((it) => visibleLine(it)),
    ...(spot.hasWeight ? [formatCount(spot.weight)] : []),
  ]
  const tileName = lines.length === 0 ? label : `${lines.join(" ")}: ${label}`
  return (
    <div {...shared} aria-label={tileName} className={styles.tile} data-step={step}>
      {lines.map((it) => (
        <span key={it}>{it} </span>
      ))}
    </div>
  )
}

const LETTER_PX = 6.6
const COUNT_PX = 56

const hasRoom = (name: string, width: number) => name.length * LETTER_PX + COUNT_PX <= width

const CARD_PX = { width: 264, height: 168 }
const GAP_PX = 3

/** Right of the spot, else left of it, and inside the plane. */
function besideOf({ x, y, w }: TreemapSpot, plane: typeof USUAL_PX) {
  const right = x + w + GAP_PX
  const left = x - CARD_PX.width - GAP_PX
  const hasRight = right + CARD_PX.width <= plane.width
  const leftOrInside = left >= 0 ? left : Math.max(0, plane.width - CARD_PX.width)
  const at = hasRight ? right : leftOrInside
  const top = Math.max(0, Math.min(y, plane.height - CARD_PX.height))
  return { left: `${at}px`, top: `${top}px` }
}

type TreemapFootProps = {
  readonly area: string
  readonly least: string
  readonly most: string
  readonly scope: string
}

export function TreemapFoot({ area, least, most, scope }: TreemapFootProps) {
  return (
    <div className={styles.foot}>
      <span>{area}</span>
      <span className={styles.ramp}>
        <span>{least}</span>
        <i />
        <i />
        <i />
        <i />
        <i />
        <span>{most}</span>
      </span>
      <span className={styles.keys}>
        <span>
          <KeyHint id={`${scope}.open`} /> open
        </span>
        <span>
          <KeyHint id={`${scope}.up`} /> up
        </span>
        <span>
          <KeyHint id={`${scope}.view`} /> list
        </span>
      </span>
    </div>
  )
}
