import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import type { Memory } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { MemoryParams } from "../../data/paths.ts"
import { CollectionList, type ListRef } from "../../ui/collection/collection.tsx"
import {
  Cell,
  NameCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { Score } from "../../ui/score/score.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import {
  describeConfidence,
  describeSource,
  describeStaleCites,
  describeState,
  isQuarantined,
  markOf,
} from "./words.ts"

export type MemoryLine = {
  readonly memory: Memory
  readonly why: readonly string[]
}

type MemoryRowsProps = PageProps<MemoryParams> & {
  readonly lines: readonly MemoryLine[]
  readonly handle: ListRef
}

export function MemoryRows({ now, lines, params, handle, onParams }: MemoryRowsProps) {
  return (
    <CollectionList
      ref={handle}
      label="Memories"
      columns={COLUMNS}
      head={<TableHead labels={HEAD} />}
      items={lines}
      keyOf={(it) => it.memory.id}
      lines={params.text.trim() === "" ? 1 : 2}
      at={params.at}
      openKey="memory.open"
      onMove={(at) => onParams({ at }, "replace")}
      onOpen={({ memory: { id } }) => onParams({ at: id, show: id, add: false })}
      renderItem={(it, option) => <MemoryRow now={now} line={it} option={option} />}
    />
  )
}

const COLUMNS = {
  full: "14px minmax(0, 1fr) 88px 64px 112px 80px 88px",
  tight: "14px minmax(0, 1fr) 80px 56px 76px 72px",
  narrow: "14px minmax(0, 1fr) max-content",
} as const

const HEAD = [
  { text: "" },
  { text: "Title" },
  { text: "State" },
  { text: "Kind" },
  { text: "Source", from: "wide" },
  { text: "Age", align: "end" },
  { text: "Confidence" },
] as const

type MemoryRowProps = {
  readonly now: number
  readonly line: MemoryLine
  readonly option: RowOption
}

function MemoryRow({ now, line: { memory, why }, option }: MemoryRowProps) {
  return (
    <Row option={option} lines={why.length === 0 ? 1 : 2} ghost={memory.state === "superseded"}>
      <StatusMark status={markOf(memory)} />
      <TitleCell memory={memory} why={why} />
      <StateCell memory={memory} />
      <TextCell from="roomy" size="sm" tone="2" cut>
        {memory.kind}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" cut title={describeSource(memory)}>
        {describeSource(memory)}
      </TextCell>
      <Cell from="roomy">
        <Age now={now} memory={memory} />
      </Cell>
      <Confidence confidence={memory.confidence} />
    </Row>
  )
}

function StateCell({ memory }: { readonly memory: Memory }) {
  const state = describeState(memory)
  const isOdd = isQuarantined(memory) || memory.state === "stale"
  return (
    <TextCell from="roomy" size="sm" tone={isOdd ? "warn" : "2"} cut title={state}>
      {state}
    </TextCell>
  )
}

function Age({ now, memory }: { readonly now: number; readonly memory: Memory }) {
  return (
    <Text as="div" size="sm" tone="3" align="end" cut title={formatWhen(memory.createdAt, now)}>
      {formatAge(memory.createdAt, now)}
    </Text>
  )
}

function TitleCell({ memory, why }: MemoryLine) {
  const title = visibleLine(memory.title)
  const stale = describeStaleCites(memory)
  const reason = why.length === 0 ? "" : visibleLine(describeReasons(memory, why))
  return (
    <Stack>
      <NameCell>
        <Text cut title={title}>
          {title}
        </Text>
        {stale === "" ? null : (
          // The state has the same information, so narrow panes leave this out.
          <Cell from="wide">
            <Tag tone="warn">{stale}</Tag>
          </Cell>
        )}
      </NameCell>
      {reason === "" ? (
        <NarrowLine>
          {[describeState(memory), memory.kind, stale].filter((it) => it !== "").join(", ")}
        </NarrowLine>
      ) : (
        <Text as="div" size="sm" tone="2" cut title={reason}>
          {reason}
        </Text>
      )}
    </Stack>
  )
}

function describeReasons(memory: Memory, why: readonly string[]): string {
  return (isQuarantined(memory) ? ["quarantined", ...why] : why).join(", ")
}

function Confidence({ confidence }: { readonly confidence: number }) {
  return (
    <Flow>
      <Stack>
        <Score share={confidence} />
        <NarrowLine onPhone>confidence</NarrowLine>
      </Stack>
      <Cell from="roomy">
        <Text size="sm" tone="3">
          {describeConfidence(confidence)}
        </Text>
      </Cell>
    </Flow>
  )
}
