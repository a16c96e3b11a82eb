import { formatUsd } from "#ground/base/format"
import { formatRound, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { STATUS_MARKS } from "../../base/status.ts"
import { formatCount, type Run } from "../../contract.ts"
import { useOrganising } from "../../data/run-organisation.ts"
import { Donut } from "../../ui/donut/donut.tsx"
import {
  Cell,
  Group,
  NameCell,
  NarrowEnd,
  NarrowLine,
  Row,
  type RowOption,
  TextCell,
} from "../../ui/list/list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { costOf, type GroupName, type RunsLine } from "./lines.ts"

export const RUN_COLUMNS = {
  full: "14px 72px minmax(0, 1fr) 168px 40px 72px 68px 72px",
  tight: "14px minmax(0, 1fr) 96px 72px 72px",
  narrow: "14px minmax(0, 1fr) 72px",
  nameSpan: 3,
  nameSpanTight: 2,
} as const

export const RUN_COLUMNS_BESIDE = {
  ...RUN_COLUMNS,
  full: "14px 72px minmax(0, 1fr) 96px 40px 72px 68px 72px",
} as const

const TIME: Readonly<Record<GroupName, string>> = {
  "Waiting for you": "Since",
  Running: "Time",
  "Ended today": "Ended",
  Earlier: "Ended",
}

export function GroupRow({ line }: { readonly line: Extract<RunsLine, { kind: "group" }> }) {
  return (
    <Group
      amongOptions
      name={line.name}
      count={line.count}
      labels={[
        { text: "Agent", from: "roomy" },
        { text: "Mode", from: "wide" },
        { text: "Context", from: "roomy", align: "end" },
        { text: "Cost", from: "wide", align: "end" },
        { text: TIME[line.name], align: "end" },
      ]}
    />
  )
}

type RunRowProps = {
  readonly run: Run
  readonly option: RowOption
  readonly isPicked: boolean
  readonly time: string
}

export function RunRow({ run, option, isPicked, time }: RunRowProps) {
  const { labels } = useOrganising()
  const mark = STATUS_MARKS[run.status]
  const status = run.status
  const cost = costOf(run)
  const usd = cost === null ? "" : formatUsd(cost)
  return (
    <Row option={option}>
      <StatusMark status={isPicked ? "picked" : mark} />
      <TextCell
        from="wide"
        size="sm"
        {...(mark === "waiting" ? { tone: "warn" } : { tone: "2" })}
        cut
      >
        {status}
      </TextCell>
      <Stack>
        <NameCell>
          <Text cut title={visibleLine(run.title)}>
            {visibleLine(run.title)}
          </Text>
          {run.labels.slice(0, MOST_LABELS).map((it) => (
            <Cell key={it} from="wide">
              <Tag colour={labels.find((one) => one.name === it)?.colour}>{visibleLine(it)}</Tag>
            </Cell>
          ))}
        </NameCell>
        <NarrowLine>
          {[status, hostTitle(run.type), usd].filter((it) => it !== "").join(", ")}
        </NarrowLine>
      </Stack>
      <Cell from="roomy">
        <AgentMessage run={run} />
      </Cell>
      <TextCell from="wide" size="sm" tone="2">
        {run.mode}
      </TextCell>
      <Cell from="roomy">
        <ContextCell run={run} />
      </Cell>
      <TextCell from="wide" mono align="end" cut>
        {usd}
      </TextCell>
      <Text mono={isFigure(time)} size="sm" tone="3" align="end" cut>
        {time}
      </Text>
      <NarrowEnd>{null}</NarrowEnd>
    </Row>
  )
}

function isFigure(text: string): boolean {
  return /^[\d:]+$/.test(text)
}

const MOST_LABELS = 2

function AgentMessage({ run: { type, model } }: { readonly run: Run }) {
  const shown = model === null ? "" : visibleLine(model)
  return (
    <Text as="div" tone="2" cut title={`${hostTitle(type)} ${shown}`}>
      {hostTitle(type)} <Text tone="3">{shown}</Text>
    </Text>
  )
}

function ContextCell({ run }: { readonly run: Run }) {
  const { contextUsed, contextWindow } = run
  if (contextUsed === null) return null
  if (contextWindow === null) {
    return (
      <Text as="div" mono tone="2" align="end">
        {formatCount(contextUsed)}
      </Text>
    )
  }
  return (
    <Flow align="apart">
      <Donut
        share={contextUsed / contextWindow}
        label={`${formatCount(contextUsed)} of ${formatRound(contextWindow)} tokens`}
      />
      <Text mono tone="2">
        {formatCount(contextUsed)}
      </Text>
    </Flow>
  )
}
