import { type RefObject, useMemo } from "react"
import { formatCount, formatExact } from "../../contract.ts"
import type { MapParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, Row, type RowOption, TableHead } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Path } from "../../ui/path/path.tsx"
import { RankBar } from "../../ui/rank-bar/rank-bar.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Twig } from "../../ui/twig/twig.tsx"
import { type EntryLine, type NoteLine, parentOf, type TreeLine, turnFolder } from "./tree-lines.ts"

type TreeProps = {
  readonly label?: string
  readonly lines: readonly TreeLine[]
  readonly params: MapParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<MapParams>, how?: "push" | "replace"): void
  onRetry?(folder: string): void
}

const TREE_COLUMNS = {
  full: "minmax(0, 440px) minmax(120px, 1fr) 64px 64px",
  tight: "minmax(0, 1fr) 72px 56px 56px",
  narrow: "minmax(0, 1fr) 56px 48px",
} as const

/** Folders and files with their rank as a bar; keys walk, right opens, left closes. */
export function Tree({ label = "Files", lines, params, handle, onParams, onRetry }: TreeProps) {
  const indexes = useMemo(() => new Map(lines.map((it, i) => [it.key, i])), [lines])
  const index = indexes.get(params.at) ?? -1
  const selected = lines[index]
  const moveTo = (line: TreeLine | undefined) =>
    line === undefined ? undefined : onParams({ at: line.key }, "replace")
  const turn = (line: EntryLine) =>
    onParams({ at: line.key, open: turnFolder(params.open, line.entry.path) }, "replace")
  const open = (line: TreeLine) => {
    if (line.kind === "note") return line.state === "failed" ? onRetry?.(line.folder) : undefined
    if (line.isOpen !== null) return turn(line)
    return onParams({ at: line.key, show: line.entry.path })
  }
  const unfold = (line: TreeLine) => {
    if (line.kind === "entry" && line.isOpen === false) turn(line)
    else if (line.kind === "entry" && line.isOpen === true) moveTo(lines[index + 1])
  }
  const fold = (line: TreeLine) => {
    if (line.kind === "entry" && line.isOpen === true) return turn(line)
    return moveTo(lines[indexes.get(folderOf(line)) ?? -1])
  }
  useKey("list.next", () => moveTo(lines[index + 1]))
  useKey("list.previous", () => moveTo(lines[index < 0 ? lines.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(lines[0]))
  useKey("list.last", () => moveTo(lines.at(-1)))
  useKey("map.open", () => (selected === undefined ? moveTo(lines[0]) : open(selected)))
  useKey("map.unfold", selected === undefined ? undefined : () => unfold(selected))
  useKey("map.fold", selected === undefined ? undefined : () => fold(selected))
  const idOf = (line: TreeLine) => `map-${indexes.get(line.key) ?? 0}`
  return (
    <VirtualList
      ref={handle}
      role="tree"
      label={label}
      columns={TREE_COLUMNS}
      head={<TreeHead />}
      items={lines}
      keyOf={(it) => it.key}
      isGroup={() => false}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) => {
        const option = {
          id: idOf(it),
          isSelected: it.key === params.at,
          onPick: () => open(it),
        }
        return it.kind === "note" ? (
          <NoteRow line={it} option={option} />
        ) : (
          <EntryRow line={it} option={option} />
        )
      }}
    />
  )
}

function folderOf(line: TreeLine): string {
  return line.kind === "note" ? line.folder : (parentOf(line.entry.path) ?? "")
}

function TreeHead() {
  return (
    <TableHead
      labels={[
        { text: "Name" },
        { text: "Rank" },
        { text: "Symbols", align: "end" },
        { text: "Tokens", align: "end" },
      ]}
    />
  )
}

type LineProps<Line> = { readonly line: Line; readonly option: RowOption }

function EntryRow({ line, option }: LineProps<EntryLine>) {
  const { entry, depth, isOpen, place, siblings } = line
  return (
    <Row option={{ ...option, branch: { level: depth + 1, place, siblings, isOpen } }}>
      <Twig depth={depth} isOpen={isOpen}>
        <Path path={entry.name} />
      </Twig>
      <Cell>
        <RankBar share={entry.rank} label="rank" />
      </Cell>
      <Cell from="roomy">
        <Text as="div" mono tone="2" align="end">
          {entry.symbols === 0 ? "" : formatExact(entry.symbols)}
        </Text>
      </Cell>
      <Cell>
        <Text as="div" mono tone="2" align="end">
          {entry.tokens === 0 ? "" : formatCount(entry.tokens)}
        </Text>
      </Cell>
    </Row>
  )
}

function NoteRow({ line, option }: LineProps<NoteLine>) {
  const branch = { level: line.depth + 1, place: 1, siblings: 1, isOpen: null }
  return (
    <Row option={{ ...option, branch }}>
      <Twig depth={line.depth} isOpen={null}>
        <Text tone={line.state === "failed" ? "bad" : "3"} cut title={line.says}>
          {line.says}
        </Text>
      </Twig>
    </Row>
  )
}
