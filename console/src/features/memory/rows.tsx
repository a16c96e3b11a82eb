import type { RefObject } from "react"
import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import type { Memory } from "../../contract.ts"
import type { MemoryParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, NameCell, NarrowLine, Row, type RowOption, TableHead } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { Score } from "../../ui/score/score.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { isQuarantined, markOf, saySource, sayStaleCites, sayState, sayTrust } from "./words.ts"

export type MemoryLine = {
  readonly memory: Memory
  /** Why it was found; empty where nothing was looked for. */
  readonly why: readonly string[]
}

type MemoryRowsProps = {
  readonly now: number
  readonly lines: readonly MemoryLine[]
  readonly params: MemoryParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<MemoryParams>, how?: "push" | "replace"): void
}

const COLUMNS = {
  full: "14px minmax(0, 1fr) 88px 64px 112px 80px 88px",
  tight: "14px minmax(0, 1fr) 80px 56px 76px 72px",
  narrow: "14px minmax(0, 1fr) 40px",
} as const

/** One line a memory; where something was looked for, a second one says why it was found. */
export function MemoryRows({ now, lines, params, handle, onParams }: MemoryRowsProps) {
  const index = lines.findIndex(({ memory }) => memory.id === params.at)
  const selected = lines[index]
  const moveTo = (line: MemoryLine | undefined) =>
    line === undefined ? undefined : onParams({ at: line.memory.id }, "replace")
  const open = ({ memory: { id } }: MemoryLine) => onParams({ at: id, show: id, add: false })
  useKey("list.next", () => moveTo(lines[index + 1]))
  useKey("list.previous", () => moveTo(lines[index < 0 ? lines.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(lines[0]))
  useKey("list.last", () => moveTo(lines.at(-1)))
  useKey("memory.open", () => (selected === undefined ? moveTo(lines[0]) : open(selected)))
  const idOf = (line: MemoryLine) => `memory-${lines.indexOf(line)}`
  return (
    <VirtualList
      ref={handle}
      label="Memories"
      columns={COLUMNS}
      head={<RowsHead />}
      items={lines}
      keyOf={(it) => it.memory.id}
      isGroup={() => false}
      lines={params.text.trim() === "" ? 1 : 2}
      activeIndex={index}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) => (
        <MemoryRow
          now={now}
          line={it}
          option={{ id: idOf(it), isSelected: it === selected, onPick: () => open(it) }}
        />
      )}
    />
  )
}

function RowsHead() {
  return (
    <TableHead
      labels={[
        { text: "" },
        { text: "Title" },
        { text: "State" },
        { text: "Kind" },
        { text: "Source", from: "wide" },
        { text: "Age", align: "end" },
        { text: "Trust" },
      ]}
    />
  )
}

type MemoryRowProps = {
  readonly now: number
  readonly line: MemoryLine
  readonly option: RowOption
}

function MemoryRow({ now, line: { memory, why }, option }: MemoryRowProps) {
  const state = sayState(memory)
  return (
    <Row option={option} lines={why.length === 0 ? 1 : 2} ghost={memory.state === "superseded"}>
      <StatusMark status={markOf(memory)} />
      <TitleCell memory={memory} why={why} />
      <Cell from="roomy">
        <Text
          as="div"
          size="sm"
          cut
          title={state}
          {...(isQuarantined(memory) || memory.state === "stale"
            ? { tone: "warn" }
            : { tone: "2" })}
        >
          {state}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" cut>
          {memory.kind}
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="2" cut title={saySource(memory)}>
          {saySource(memory)}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="3" align="end" cut title={formatWhen(memory.createdAt, now)}>
          {formatAge(memory.createdAt, now)}
        </Text>
      </Cell>
      <Trust confidence={memory.confidence} />
    </Row>
  )
}

type TitleCellProps = { readonly memory: Memory; readonly why: readonly string[] }

function TitleCell({ memory, why }: TitleCellProps) {
  const title = visibleLine(memory.title)
  const stale = sayStaleCites(memory)
  const reason = why.length === 0 ? "" : visibleLine(sayWhy(memory, why))
  return (
    <Stack>
      <NameCell>
        <Text cut title={title}>
          {title}
        </Text>
        {stale === "" ? null : (
          // The state says it too: the title comes first where there is little room.
          <Cell from="wide">
            <Tag tone="warn">{stale}</Tag>
          </Cell>
        )}
      </NameCell>
      {reason === "" ? (
        <NarrowLine>
          {[sayState(memory), memory.kind, stale].filter((it) => it !== "").join(", ")}
        </NarrowLine>
      ) : (
        <Text as="div" size="sm" tone="2" cut title={reason}>
          {reason}
        </Text>
      )}
    </Stack>
  )
}

/** The row of a phone has no column for the state. */
function sayWhy(memory: Memory, why: readonly string[]): string {
  return (isQuarantined(memory) ? ["quarantined", ...why] : why).join(", ")
}

function Trust({ confidence }: { readonly confidence: number }) {
  return (
    <Flow>
      <Score share={confidence} />
      <Cell from="roomy">
        <Text size="sm" tone="3">
          {sayTrust(confidence)}
        </Text>
      </Cell>
    </Flow>
  )
}
