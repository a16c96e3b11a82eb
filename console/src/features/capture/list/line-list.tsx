import { type ReactNode } from "react"
import { CollectionList } from "../../../ui/collection/collection.tsx"
import { type ColumnWidths, Group, type RowOption } from "../../../ui/list/list.tsx"
import type { HeadingLine } from "../tables.ts"

type AnyLine = { readonly kind: string; readonly key: string }

type LineListProps<Line extends AnyLine> = {
  readonly label: string
  readonly columns: ColumnWidths
  readonly head?: ReactNode
  readonly lines: readonly Line[]
  readonly at: string
  onMove(line: NoInfer<Line>): void
  onOpen(line: NoInfer<Line>, how: "press" | "key"): void
  renderLine(line: NoInfer<Line>, option: RowOption): ReactNode
}

export function LineList<Line extends AnyLine>(props: LineListProps<Line>) {
  const { lines, at, onMove, onOpen } = props
  return (
    <CollectionList
      label={props.label}
      columns={props.columns}
      head={props.head}
      items={lines}
      keyOf={(it) => it.key}
      isHeading={(it) => it.kind === "heading"}
      isGroup={(it) => it.kind === "heading" || it.kind === "group"}
      at={at}
      openKey="capture.open"
      onMove={(key) => {
        const line = lines.find((it) => it.key === key)
        if (line !== undefined) onMove(line)
      }}
      onOpen={onOpen}
      renderItem={props.renderLine}
    />
  )
}

export function Heading({ line }: { readonly line: HeadingLine }) {
  return <Group amongOptions name={line.name} count={line.count} sum={line.sum} />
}

export type TabProps = {
  readonly at: string
  onMove(line: { readonly key: string }): void
  onOpen(line: { readonly key: string }, how: "press" | "key"): void
}
