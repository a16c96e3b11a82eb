import { formatUsd } from "#ground/base/format"
import { formatClock, formatRunTime, visibleLine } from "../../base/format.ts"
import { formatCount, type NowRow } from "../../contract.ts"
import { hrefOfRow, tokensOfRow } from "../../data/today.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import {
  Cell,
  Group,
  type GroupLabel,
  NarrowLine,
  Row,
  Rows,
  TextCell,
} from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"

const RUN_COLUMNS = {
  full: "14px minmax(0, 1fr) 104px 64px 60px",
  narrow: "14px minmax(0, 1fr) 60px",
  nameSpan: 2,
} as const

const TOKEN_COLUMNS = {
  ...RUN_COLUMNS,
  full: "14px minmax(0, 1fr) 104px 120px 56px 64px 60px",
  tight: "14px minmax(0, 1fr) 104px 56px 64px 60px",
} as const

/** The window size of most hosts. */
const DRAWN_WINDOW_TOKENS = 200_000

type RunListsProps = {
  readonly running: readonly NowRow[]
  readonly ended: readonly NowRow[]
  readonly now: number
  readonly at: string | null
}

export function RunLists({ running, ended, now, at }: RunListsProps) {
  const hasTokens = [...running, ...ended].some((it) => it.tokens !== undefined)
  return (
    <>
      <RunRows
        name="Running"
        rows={running}
        hasTokens={hasTokens}
        at={at}
        time="Time"
        say={(it) => (it.state === "queued" ? "next" : formatRunTime(now - it.at))}
      />
      <RunRows
        name="Ended today"
        rows={ended}
        hasTokens={hasTokens}
        at={at}
        time="Ended"
        say={(it) => formatClock(it.at)}
      />
    </>
  )
}

type RunRowsProps = {
  readonly name: string
  readonly rows: readonly NowRow[]
  readonly hasTokens: boolean
  readonly at: string | null
  readonly time: string
  say(row: NowRow): string
}

function RunRows({ name, rows, hasTokens, at, time, say }: RunRowsProps) {
  if (rows.length === 0) return null
  return (
    <Rows columns={hasTokens ? TOKEN_COLUMNS : RUN_COLUMNS}>
      <Group name={name} count={rows.length} labels={labelsOf(hasTokens, time)} />
      {rows.map((it) => (
        <Row key={it.id} href={hrefOfRow(it)} isCurrent={it.id === at}>
          <StatusMark status={it.state} />
          <Stack>
            <Cell lead>{visibleLine(it.title)}</Cell>
            <NarrowLine>
              {[it.agent ?? "", formatCost(it)].filter((one) => one !== "").join(", ")}
            </NarrowLine>
          </Stack>
          <TextCell from="roomy" tone="2" cut>
            {it.agent}
          </TextCell>
          {hasTokens ? <TokenCells row={it} /> : null}
          <TextCell from="roomy" mono align="end">
            {formatCost(it)}
          </TextCell>
          <Text mono tone="3" align="end">
            {say(it)}
          </Text>
        </Row>
      ))}
    </Rows>
  )
}

function labelsOf(hasTokens: boolean, time: string): readonly GroupLabel[] {
  const tokens: readonly GroupLabel[] = [
    { text: "Context", from: "wide" },
    { text: "Tokens", align: "end", from: "roomy" },
  ]
  return [
    { text: "Agent", from: "roomy" },
    ...(hasTokens ? tokens : []),
    { text: "Cost", align: "end", from: "roomy" },
    { text: time, align: "end" },
  ]
}

function TokenCells({ row }: { readonly row: NowRow }) {
  const { tokens } = row
  return (
    <>
      <Cell from="wide">
        {tokens === undefined ? null : (
          <RowBudgetBar tokens={tokens} window={DRAWN_WINDOW_TOKENS} />
        )}
      </Cell>
      <TextCell from="roomy" mono tone="2" align="end">
        {tokens === undefined ? "" : formatCount(tokensOfRow(row) ?? 0)}
      </TextCell>
    </>
  )
}

function formatCost({ costUsd }: NowRow): string {
  return costUsd === undefined ? "" : formatUsd(costUsd)
}
