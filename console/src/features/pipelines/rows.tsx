import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import {
  describeStageProgress,
  formatCost,
  PIPELINE_MARKS,
  PIPELINE_WORDS,
} from "../../base/status.ts"
import type { PipelineLine } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { type PipelinesParams, paths } from "../../data/paths.ts"
import { CollectionList, type ListRef } from "../../ui/collection/collection.tsx"
import {
  NameCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"

import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"

const COLUMNS = {
  full: "14px 80px minmax(0, 1fr) 128px 176px 128px 80px",
  tight: "14px 80px minmax(0, 1fr) 120px 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

const COLUMNS_BESIDE = {
  ...COLUMNS,
  full: "14px 72px minmax(0, 1fr) 96px 96px 88px 72px",
} as const

type RowsProps = PageProps<PipelinesParams> & {
  readonly lines: readonly PipelineLine[]
  readonly handle: ListRef
}

export function PipelineRows({ now, lines, params, handle, onParams }: RowsProps) {
  return (
    <CollectionList
      ref={handle}
      label="Pipelines"
      columns={params.add ? COLUMNS_BESIDE : COLUMNS}
      head={<TableHead labels={HEAD} />}
      items={lines}
      keyOf={(it) => it.id}
      at={params.at}
      openKey="pipelines.open"
      onMove={(at) => onParams({ at }, "replace")}
      onOpen={({ id }) => navigate(paths.pipeline(id))}
      renderItem={(it, option) => <PipelineRow now={now} run={it} option={option} />}
    />
  )
}

const HEAD = [
  { text: "" },
  { text: "Status", from: "roomy" },
  { text: "Question" },
  { text: "Recipe", from: "wide" },
  { text: "Stage", from: "roomy" },
  { text: "Cost", from: "wide", align: "end" },
  { text: "Age", align: "end" },
] as const

type PipelineRowProps = {
  readonly now: number
  readonly run: PipelineLine
  readonly option: RowOption
}

function PipelineRow({ now, run, option }: PipelineRowProps) {
  const title = visibleLine(run.title)
  const status = PIPELINE_WORDS[run.status]
  const progress = visibleLine(describeStageProgress(run))
  return (
    <Row option={option}>
      <StatusMark status={PIPELINE_MARKS[run.status]} />
      <TextCell from="roomy" size="sm" tone={run.status === "paused" ? "warn" : "2"} cut>
        {status}
      </TextCell>
      <Stack>
        <NameCell>
          <Text cut title={title}>
            {title}
          </Text>
        </NameCell>
        <NarrowLine>{[status, progress].join(", ")}</NarrowLine>
      </Stack>
      <TextCell from="wide" size="sm" tone="2" cut>
        {run.agent}
      </TextCell>
      <TextCell from="roomy" size="sm" tone="2" cut title={progress}>
        {progress}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" align="end" cut>
        {formatCost(run.cost)}
      </TextCell>
      <Text as="div" size="sm" tone="3" align="end" cut title={formatWhen(run.createdAt, now)}>
        {formatAge(run.createdAt, now)}
      </Text>
    </Row>
  )
}
