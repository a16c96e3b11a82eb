import type { RefObject } from "react"
import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import { PIPELINE_MARKS, PIPELINE_WORDS, sayCost, sayPlace } from "../../base/status.ts"
import type { PipelineLine } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { type PipelinesParams, paths } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, NameCell, NarrowLine, Row, type RowOption, TableHead } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"

const COLUMNS = {
  full: "14px 80px minmax(0, 1fr) 128px 176px 128px 80px",
  tight: "14px 80px minmax(0, 1fr) 120px 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

/** Beside the form the question needs the room more than the figures. */
const COLUMNS_BESIDE = {
  ...COLUMNS,
  full: "14px 72px minmax(0, 1fr) 96px 96px 104px 56px",
} as const

type RowsProps = {
  readonly now: number
  readonly lines: readonly PipelineLine[]
  readonly params: PipelinesParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<PipelinesParams>, how?: "push" | "replace"): void
}

/** One line a run, the newest first. */
export function PipelineRows({ now, lines, params, handle, onParams }: RowsProps) {
  const index = lines.findIndex((it) => it.id === params.at)
  const selected = lines[index]
  const moveTo = (line: PipelineLine | undefined) =>
    line === undefined ? undefined : onParams({ at: line.id }, "replace")
  const open = ({ id }: PipelineLine) => navigate(paths.pipeline(id))
  useKey("list.next", () => moveTo(lines[index + 1]))
  useKey("list.previous", () => moveTo(lines[index < 0 ? lines.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(lines[0]))
  useKey("list.last", () => moveTo(lines.at(-1)))
  useKey("pipelines.open", () => (selected === undefined ? moveTo(lines[0]) : open(selected)))
  return (
    <VirtualList
      ref={handle}
      label="Pipelines"
      columns={params.add ? COLUMNS_BESIDE : COLUMNS}
      head={<Head />}
      items={lines}
      keyOf={(it) => it.id}
      isGroup={() => false}
      activeIndex={index}
      activeId={selected === undefined ? undefined : optionId(selected)}
      sticksToEnd={false}
      renderItem={(it) => (
        <PipelineRow
          now={now}
          run={it}
          option={{ id: optionId(it), isSelected: it === selected, onPick: () => open(it) }}
        />
      )}
    />
  )
}

const optionId = ({ id }: PipelineLine): string => `pipeline-${id}`

function Head() {
  return (
    <TableHead
      labels={[
        { text: "" },
        { text: "Status", from: "roomy" },
        { text: "Question" },
        { text: "Agent", from: "wide" },
        { text: "Stage", from: "roomy" },
        { text: "Cost", from: "wide", align: "end" },
        { text: "Age", align: "end" },
      ]}
    />
  )
}

type PipelineRowProps = {
  readonly now: number
  readonly run: PipelineLine
  readonly option: RowOption
}

function PipelineRow({ now, run, option }: PipelineRowProps) {
  const title = visibleLine(run.title)
  const word = PIPELINE_WORDS[run.status]
  const place = visibleLine(sayPlace(run))
  return (
    <Row option={option}>
      <StatusMark status={PIPELINE_MARKS[run.status]} />
      <Cell from="roomy">
        <Text as="div" size="sm" tone={run.status === "paused" ? "warn" : "2"} cut>
          {word}
        </Text>
      </Cell>
      <Stack>
        <NameCell>
          <Text cut title={title}>
            {title}
          </Text>
        </NameCell>
        <NarrowLine>{[word, place].join(", ")}</NarrowLine>
      </Stack>
      <Cell from="wide">
        <Text as="div" size="sm" tone="2" cut>
          {run.agent}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" cut title={place}>
          {place}
        </Text>
      </Cell>
      <Cell from="wide">
        <Text as="div" size="sm" tone="2" align="end" cut>
          {sayCost(run.cost)}
        </Text>
      </Cell>
      <Text as="div" size="sm" tone="3" align="end" cut title={formatWhen(run.createdAt, now)}>
        {formatAge(run.createdAt, now)}
      </Text>
    </Row>
  )
}
