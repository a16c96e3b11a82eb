import { useMemo, useState } from "react"
import { visibleLine } from "../../base/format.ts"
import type { GatewayShow } from "../../contract.ts"
import type { GatewayParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Group, RowNote, TableHead } from "../../ui/list/list.tsx"
import { VirtualList } from "../../ui/list/virtual-list.tsx"
import { type CarryLine, type CountsLine, type Line, linesOf, scaleOf } from "./lines.ts"
import { CountsRow, RequestRow } from "./request-row.tsx"
import { MODE_SAYS } from "./words.ts"

type RequestListProps = {
  readonly show: GatewayShow
  readonly params: GatewayParams
  onParams(change: Partial<GatewayParams>, how?: "push" | "replace"): void
}

const COLUMNS = {
  full: "32px 40px minmax(0, 1fr) minmax(0, 104px) 52px 44px 48px 48px 48px 72px 48px 56px minmax(72px, 14%)",
  tight: "32px 40px minmax(0, 1fr) 52px 44px 64px 48px 48px",
  narrow: "minmax(0, 1fr) 96px",
  nameSpan: 3,
} as const

/** Requests in their order; keys walk, Enter opens, and the newest stays in sight. */
export function RequestList({ show, params, onParams }: RequestListProps) {
  const { who, at } = params
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set())
  const lines = useMemo(() => linesOf(show, { who, opened, at }), [show, who, opened, at])
  const scale = useMemo(() => scaleOf(show), [show])
  const indexes = useMemo(() => new Map(lines.map((it, i) => [it.key, i])), [lines])
  const turn = ({ key, isOpen, hasPicked }: CountsLine) => {
    setOpened((keys) => turned(keys, key, !isOpen))
    // What is looked at stays in sight, so closing leaves it.
    if (hasPicked) onParams({ at: key, piece: null, from: null }, "replace")
  }
  useListKeys({ lines, params, onParams, turn })
  const idOf = (line: Line) => `request-${indexes.get(line.key) ?? 0}`
  const pick = (line: Line) =>
    onParams({ at: line.key === params.at ? "" : line.key, piece: null, from: null })
  const selected = lines[indexes.get(params.at) ?? -1]
  if (lines.length === 0) return <RowNote>None of the requests that are listed.</RowNote>
  return (
    <VirtualList
      label="Requests"
      columns={COLUMNS}
      head={<Head />}
      items={lines}
      keyOf={(it) => it.key}
      isGroup={(it) => it.kind === "carry"}
      activeIndex={indexes.get(params.at) ?? -1}
      activeId={selected === undefined ? undefined : idOf(selected)}
      // What has ended is read from its beginning.
      sticksToEnd={show.carries.some((it) => it.isAlive)}
      renderItem={(it) => {
        const option = { id: idOf(it), isSelected: it === selected }
        if (it.kind === "carry") return <CarryHeading line={it} />
        if (it.kind === "counts") {
          return <CountsRow line={it} option={{ ...option, onPick: () => turn(it) }} />
        }
        const onPick = () => pick(it)
        return <RequestRow line={it} scale={scale} option={{ ...option, onPick }} />
      }}
    />
  )
}

function turned(keys: ReadonlySet<string>, key: string, isOpen: boolean): ReadonlySet<string> {
  const rest = [...keys].filter((it) => it !== key)
  return new Set(isOpen ? [...rest, key] : rest)
}

type ListKeys = Omit<RequestListProps, "show"> & {
  readonly lines: readonly Line[]
  turn(line: CountsLine): void
}

function useListKeys({ lines, params, onParams, turn }: ListKeys): void {
  const options = lines.filter((it) => it.kind !== "carry")
  const index = options.findIndex((it) => it.key === params.at)
  const move = (line: Line | undefined) =>
    line === undefined ? undefined : onParams({ at: line.key, piece: null, from: null }, "replace")
  useKey("list.next", () => move(options[index + 1]))
  useKey("list.previous", () => move(options[index < 0 ? options.length - 1 : index - 1]))
  useKey("list.first", () => move(options[0]))
  useKey("list.last", () => move(options.at(-1)))
  useKey("gateway.open", () => {
    const active = options[index]
    if (active?.kind === "counts") turn(active)
    else if (active === undefined) move(options[0])
    else onParams({ at: "" }, "replace")
  })
}

function Head() {
  return (
    <TableHead
      labels={[
        { text: "#", align: "end" },
        { text: "At", align: "end" },
        { text: "New in it" },
        { text: "Model", from: "wide" },
        { text: "Input", align: "end" },
        { text: "Cached", align: "end" },
        { text: "Written", align: "end", from: "wide" },
        { text: "Fresh", align: "end", from: "wide" },
        { text: "Output", align: "end", from: "wide" },
        { text: "Holds" },
        { text: "Took", align: "end" },
        { text: "" },
        { text: "Waterfall", from: "wide" },
      ]}
    />
  )
}

function CarryHeading({ line }: { readonly line: CarryLine }) {
  const { title, mode } = line.carry
  return (
    <Group
      amongOptions
      name={visibleLine(title)}
      count={line.count}
      sum={MODE_SAYS[mode]}
      sumFrom="wide"
    />
  )
}
