import { formatCount, formatExact } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { CollectionList, type ListRef, useTreeKeys } from "../../ui/collection/collection.tsx"
import { Cell, Row, type RowOption, TableHead, TextCell } from "../../ui/list/list.tsx"

import { Path } from "../../ui/path/path.tsx"
import { RankBar } from "../../ui/rank-bar/rank-bar.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TreeCell } from "../../ui/tree-cell/tree-cell.tsx"
import { type EntryLine, type NoteLine, parentOf, type TreeLine, turnFolder } from "./tree-lines.ts"

type TreeProps = ParamsProps<MapParams> & {
  readonly label?: string
  readonly lines: readonly TreeLine[]
  readonly handle: ListRef
  onRetry?(folder: string): void
}

const TREE_COLUMNS = {
  full: "minmax(0, 440px) minmax(120px, 1fr) 64px 64px",
  tight: "minmax(0, 1fr) 72px 56px 56px",
  narrow: "minmax(0, 1fr) 56px 48px",
} as const

export function Tree({ label = "Files", lines, params, handle, onParams, onRetry }: TreeProps) {
  const moveTo = (at: string) => onParams({ at }, "replace")
  const turn = (line: TreeLine) => {
    if (line.kind === "note") return
    onParams({ at: line.key, open: turnFolder(params.open, line.entry.path) }, "replace")
  }
  useTreeKeys({
    scope: "map",
    lines,
    at: params.at,
    keyOf: (it) => it.key,
    parentKeyOf: folderOf,
    isOpen: (it) => (it.kind === "entry" ? it.isOpen : null),
    onTurn: turn,
    onMove: moveTo,
  })
  return (
    <CollectionList
      ref={handle}
      role="tree"
      label={label}
      columns={TREE_COLUMNS}
      head={<TableHead labels={TREE_HEAD} />}
      items={lines}
      keyOf={(it) => it.key}
      at={params.at}
      openKey="map.open"
      onMove={moveTo}
      onOpen={(it) => {
        if (it.kind === "note") return it.state === "failed" ? onRetry?.(it.folder) : undefined
        if (it.isOpen !== null) return turn(it)
        onParams({ at: it.key, show: it.entry.path })
      }}
      renderItem={(it, option) =>
        it.kind === "note" ? (
          <NoteRow line={it} option={option} />
        ) : (
          <EntryRow line={it} option={option} />
        )
      }
    />
  )
}

function folderOf(line: TreeLine): string {
  return line.kind === "note" ? line.folder : (parentOf(line.entry.path) ?? "")
}

const TREE_HEAD = [
  { text: "Name" },
  { text: "Rank" },
  { text: "Symbols", align: "end" },
  { text: "Tokens", align: "end" },
] as const

type LineProps<Line> = { readonly line: Line; readonly option: RowOption }

function EntryRow({ line, option }: LineProps<EntryLine>) {
  const { entry, depth, isOpen, position, siblings } = line
  return (
    <Row option={{ ...option, branch: { level: depth + 1, position, siblings, isOpen } }}>
      <TreeCell depth={depth} isOpen={isOpen}>
        <Path path={entry.name} />
      </TreeCell>
      <Cell>
        <RankBar share={entry.rank} label="rank" />
      </Cell>
      <TextCell from="roomy" mono tone="2" align="end">
        {entry.symbols === 0 ? "" : formatExact(entry.symbols)}
      </TextCell>
      <Cell>
        <Text as="div" mono tone="2" align="end">
          {entry.tokens === 0 ? "" : formatCount(entry.tokens)}
        </Text>
      </Cell>
    </Row>
  )
}

function NoteRow({ line, option }: LineProps<NoteLine>) {
  const branch = { level: line.depth + 1, position: 1, siblings: 1, isOpen: null }
  return (
    <Row option={{ ...option, branch }}>
      <TreeCell depth={line.depth} isOpen={null}>
        <Text tone={line.state === "failed" ? "bad" : "3"} cut title={line.description}>
          {line.description}
        </Text>
      </TreeCell>
    </Row>
  )
}
