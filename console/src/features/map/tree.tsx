import { formatAge } from "../../base/format.ts"
import { formatCount, formatExact } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { CollectionList, type ListRef, useTreeKeys } from "../../ui/collection/collection.tsx"
import { FigureCell, Row, type RowOption, TableHead, TextCell } from "../../ui/list/list.tsx"

import { Path } from "../../ui/path/path.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TreeCell } from "../../ui/tree-cell/tree-cell.tsx"
import { type EntryLine, type NoteLine, parentOf, type TreeLine, turnFolder } from "./tree-lines.ts"

type TreeProps = ParamsProps<MapParams> & {
  readonly label?: string
  readonly now: number
  readonly lines: readonly TreeLine[]
  readonly handle: ListRef
  /** Without git history two columns would be empty. */
  readonly hasHistory: boolean
  onRetry?(folder: string): void
}

const TREE_COLUMNS = {
  full: "minmax(0, 1fr) 72px 72px 64px 88px 72px",
  tight: "minmax(0, 1fr) 56px 64px 56px",
  narrow: "minmax(0, 1fr) 56px 64px",
} as const

const COLUMNS_WITHOUT_HISTORY = {
  full: "minmax(0, 1fr) 72px 64px 88px",
  tight: "minmax(0, 1fr) 56px 56px",
  narrow: "minmax(0, 1fr) 56px",
} as const

export function Tree(props: TreeProps) {
  const { label = "Files", hasHistory, now, lines, params, handle, onParams, onRetry } = props
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
      columns={hasHistory ? TREE_COLUMNS : COLUMNS_WITHOUT_HISTORY}
      head={<TableHead labels={TREE_HEAD.filter((it) => hasHistory || !isOfHistory(it))} />}
      items={lines}
      keyOf={(it) => it.key}
      at={params.at}
      openKey="map.open"
      onMove={moveTo}
      onOpen={(row) => {
        if (row.kind === "note") return row.state === "failed" ? onRetry?.(row.folder) : undefined
        if (row.isOpen !== null) return turn(row)
        onParams({ at: row.key, show: row.entry.path })
      }}
      renderItem={(it, option) =>
        it.kind === "note" ? (
          <NoteRow line={it} option={option} />
        ) : (
          <EntryRow line={it} option={option} now={now} hasHistory={hasHistory} />
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
  { text: "Tokens", align: "end" },
  { text: "Changes", align: "end" },
  { text: "Rank", align: "end", from: "roomy" },
  { text: "Agent reads", align: "end", from: "wide" },
  { text: "Age", align: "end", from: "wide" },
] as const

const isOfHistory = ({ text }: (typeof TREE_HEAD)[number]) => text === "Changes" || text === "Age"

type LineProps<Line> = { readonly line: Line; readonly option: RowOption }

/** An unknown figure is empty, never 0. */
const exactOrEmpty = (count: number | null | undefined) =>
  count === null || count === undefined ? "" : formatExact(count)

type EntryRowProps = LineProps<EntryLine> & Pick<TreeProps, "now" | "hasHistory">

function EntryRow({ line, option, now, hasHistory }: EntryRowProps) {
  const { entry, depth, isOpen, position, siblings } = line
  const changedAt = entry.measures?.changedAt ?? null
  return (
    <Row option={{ ...option, branch: { level: depth + 1, position, siblings, isOpen } }}>
      <TreeCell depth={depth} isOpen={isOpen}>
        <Path path={entry.name} />
      </TreeCell>
      <FigureCell unit="tokens">{entry.tokens === 0 ? "" : formatCount(entry.tokens)}</FigureCell>
      {hasHistory ? (
        <FigureCell unit={entry.measures?.changes === 1 ? "change" : "changes"}>
          {exactOrEmpty(entry.measures?.changes)}
        </FigureCell>
      ) : null}
      <TextCell from="roomy" mono tone="2" align="end">
        {exactOrEmpty(entry.measures?.place)}
      </TextCell>
      <TextCell from="wide" mono tone="2" align="end">
        {exactOrEmpty(entry.measures?.reads)}
      </TextCell>
      {hasHistory ? (
        <TextCell from="wide" size="sm" tone="3" align="end">
          {changedAt === null ? "" : formatAge(changedAt, now)}
        </TextCell>
      ) : null}
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
