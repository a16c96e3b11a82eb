import type { NowRow } from "../../contract.ts"
import { formatCount } from "../../contract.ts"
import { formatAge, formatClock, formatRunTime } from "../../data/moments.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { KINDS, type KindTokens } from "../../ui/budget-bar/layout.ts"
import { Cell, Group, NarrowLine, Row, RowNote, Rows } from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"

type ListProps = { readonly rows: readonly NowRow[]; readonly now: number }

const ASK_COLUMNS = {
  full: "14px 56px minmax(0, 1fr) 176px 52px",
  tight: "14px 56px minmax(0, 1fr) 52px",
  narrow: "14px minmax(0, 1fr) 52px",
} as const

const RUN_COLUMNS = {
  full: "14px 56px minmax(0, 1fr) 104px 120px 56px 56px 52px",
  tight: "14px 56px minmax(0, 1fr) 104px 56px 52px",
  narrow: "14px minmax(0, 1fr) 56px 52px",
} as const

/** Columns are named above rows only: over an empty list they would be about nothing. */
const ASK_LABELS = [
  { text: "", from: "wide" },
  { text: "Since", align: "end" },
] as const
const RUN_LABELS = [
  { text: "Agent", from: "roomy" },
  { text: "Context", from: "wide" },
  { text: "Tokens", align: "end" },
  { text: "Cost", align: "end", from: "wide" },
] as const

/** Context is drawn against the window that most hosts have. */
const DRAWN_WINDOW_TOKENS = 200_000

/** First, because it is the only list in which time is lost because of the reader. */
export function WaitingList({ rows, now }: ListProps) {
  return (
    <Rows columns={ASK_COLUMNS}>
      <Group
        name="Waiting for you"
        count={rows.length}
        labels={rows.length === 0 ? [] : ASK_LABELS}
      />
      {rows.length === 0 ? <RowNote>Nothing waits for you.</RowNote> : null}
      {rows.map((it) => (
        <Row key={it.id} lines={2}>
          <StatusMark status={it.state} />
          <Cell from="roomy">
            <Text mono tone="3" cut>
              {it.id}
            </Text>
          </Cell>
          <Stack>
            <Cell lead>{it.title}</Cell>
            <Text size="sm" tone="2" cut title={it.ask}>
              {it.ask}
            </Text>
          </Stack>
          <Cell from="wide">
            <Text as="div" size="sm" tone="3" align="end" cut>
              {it.agent}
            </Text>
          </Cell>
          <Text size="sm" tone="3" align="end">
            {formatAge(it.at, now)}
          </Text>
        </Row>
      ))}
    </Rows>
  )
}

export function RunningList({ rows, now }: ListProps) {
  return (
    <RunRows
      name="Running"
      rows={rows}
      time="Time"
      empty="Nothing runs. Runs appear here as soon as an agent is started by qm."
      say={(it) => (it.state === "queued" ? "next" : formatRunTime(now - it.at))}
    />
  )
}

export function EndedList({ rows }: Pick<ListProps, "rows">) {
  return (
    <RunRows
      name="Ended today"
      rows={rows}
      time="Ended"
      empty="Nothing ended today."
      say={(it) => formatClock(it.at)}
    />
  )
}

type RunRowsProps = {
  readonly name: string
  readonly rows: readonly NowRow[]
  readonly time: string
  readonly empty: string
  say(row: NowRow): string
}

function RunRows({ name, rows, time, empty, say }: RunRowsProps) {
  return (
    <Rows columns={RUN_COLUMNS}>
      <Group
        name={name}
        count={rows.length}
        labels={rows.length === 0 ? [] : [...RUN_LABELS, { text: time, align: "end" }]}
      />
      {rows.length === 0 ? <RowNote>{empty}</RowNote> : null}
      {rows.map((it) => (
        <Row key={it.id}>
          <StatusMark status={it.state} />
          <Cell from="roomy">
            <Text mono tone="3" cut>
              {it.id}
            </Text>
          </Cell>
          <Stack>
            <Cell lead>{it.title}</Cell>
            <NarrowLine>{it.agent}</NarrowLine>
          </Stack>
          <Cell from="roomy">
            <Text as="div" tone="2" cut>
              {it.agent}
            </Text>
          </Cell>
          <Cell from="wide">
            {it.tokens === undefined ? null : (
              <RowBudgetBar tokens={it.tokens} window={DRAWN_WINDOW_TOKENS} />
            )}
          </Cell>
          <Text mono tone="2" align="end">
            {it.tokens === undefined ? "" : formatCount(sumOf(it.tokens))}
          </Text>
          <Cell from="wide">
            <Text as="div" mono align="end">
              {it.costUsd === undefined ? "" : `$${it.costUsd.toFixed(2)}`}
            </Text>
          </Cell>
          <Text mono tone="3" align="end">
            {say(it)}
          </Text>
        </Row>
      ))}
    </Rows>
  )
}

function sumOf(tokens: KindTokens): number {
  return KINDS.reduce((sum, kind) => sum + (tokens[kind] ?? 0), 0)
}
