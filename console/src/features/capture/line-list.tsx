import { type ReactNode, useMemo } from "react"
import { useKey } from "../../ui/keys/keys.tsx"
import { type ColumnWidths, Group, type RowOption } from "../../ui/list/list.tsx"
import { VirtualList } from "../../ui/list/virtual-list.tsx"
import type { HeadingLine } from "./tables.ts"

type AnyLine = { readonly kind: string; readonly key: string }

type LineListProps<Line extends AnyLine> = {
  readonly label: string
  readonly columns: ColumnWidths
  readonly head?: ReactNode
  readonly lines: readonly Line[]
  /** Key of the selected line. */
  readonly at: string
  /** Moved to by keys. */
  onMove(line: NoInfer<Line>): void
  /** Pressed, or Enter on the selected one. */
  onOpen(line: NoInfer<Line>, how: "press" | "key"): void
  renderLine(line: NoInfer<Line>, option: RowOption): ReactNode
}

/** Lines of any tab: keys walk over all but headings, only what is in sight is drawn. */
export function LineList<Line extends AnyLine>(props: LineListProps<Line>) {
  const { lines, at, onMove, onOpen } = props
  const options = useMemo(() => lines.filter((it) => it.kind !== "heading"), [lines])
  const indexes = useMemo(() => new Map(lines.map((it, i) => [it.key, i])), [lines])
  const index = options.findIndex((it) => it.key === at)
  const selected = options[index]
  const move = (line: Line | undefined) => (line === undefined ? undefined : onMove(line))
  useKey("list.next", () => move(options[index + 1]))
  useKey("list.previous", () => move(options[index < 0 ? options.length - 1 : index - 1]))
  useKey("list.first", () => move(options[0]))
  useKey("list.last", () => move(options.at(-1)))
  useKey("capture.open", () =>
    selected === undefined ? move(options[0]) : onOpen(selected, "key"),
  )
  const idOf = (key: string) => `line-${indexes.get(key) ?? 0}`
  return (
    <VirtualList
      label={props.label}
      columns={props.columns}
      head={props.head}
      items={lines}
      keyOf={(it) => it.key}
      isGroup={(it) => it.kind === "heading" || it.kind === "group"}
      activeIndex={indexes.get(at) ?? -1}
      activeId={selected === undefined ? undefined : idOf(at)}
      sticksToEnd={false}
      renderItem={(it) =>
        props.renderLine(it, {
          id: idOf(it.key),
          isSelected: it.key === at,
          onPick: () => onOpen(it, "press"),
        })
      }
    />
  )
}

/** A name above lines that belong together and do not fold. */
export function Heading({ line }: { readonly line: HeadingLine }) {
  return <Group amongOptions name={line.name} count={line.count} sum={line.sum} />
}
