import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import { cacheHitShare, formatSpend } from "../../base/spend.ts"
import {
  formatBytes,
  formatCostChange,
  formatCount,
  formatExact,
  type SessionsCost,
  type Spend,
} from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import { COST_TABS, type CostParams, paths } from "../../data/paths.ts"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, Row, RowSkeleton, Rows, TableHead, TextCell } from "../../ui/list/list.tsx"
import { MeterFigure } from "../../ui/meter/meter.tsx"
import { OnlyWide, PaneHead } from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TrendLine } from "../../ui/trend/trend.tsx"
import { useCost } from "./use-cost.ts"

/** Sessions have no change: one seldom spans two periods. */
const COLUMNS = {
  full: "minmax(0, 1fr) 48px 72px 76px 100px 72px 84px 66px",
  tight: "minmax(0, 1fr) 92px 76px 84px 66px",
  narrow: "minmax(0, 1fr) 60px 76px",
} as const
const SESSION_COLUMNS = {
  full: "minmax(0, 1fr) 48px 72px 76px 100px 72px",
  tight: "minmax(0, 1fr) 92px 76px",
  narrow: "minmax(0, 1fr) 60px 76px",
} as const

const HEAD = [
  { text: "Name" },
  { text: "Calls", align: "end", from: "wide" },
  { text: "Cache read", align: "end", from: "wide" },
  { text: "Cache write", align: "end", from: "wide" },
  { text: "Hit rate", align: "end" },
  { text: "Cost", align: "end" },
] as const

export const TABS = {
  model: "Model",
  repository: "Repository",
  agent: "Agent and sub-agent",
  session: "Session",
  tool: "Tool results",
} as const

type BreakdownProps = Omit<PageProps<CostParams>, "now"> & { readonly period: string }

export function Breakdown({ params, onParams, period }: BreakdownProps) {
  const { by } = params
  const query = useCost(params, by)
  const next = COST_TABS[(COST_TABS.indexOf(by) + 1) % COST_TABS.length] ?? "model"
  useKey("cost.by", () => onParams({ by: next }, "replace"))
  return (
    <section aria-label="Cost by group">
      <PaneHead
        edge="page"
        actions={
          <OnlyWide>
            <Text size="sm" tone="3">{`change against the ${period} before`}</Text>
          </OnlyWide>
        }
      >
        <Facets
          label="Group by"
          active={by}
          facets={COST_TABS.map((value) => ({ value, label: TABS[value] }))}
          onPick={(value) => onParams({ by: COST_TABS.find((it) => it === value) ?? "model" })}
        />
      </PaneHead>
      {query.error === null ? null : <Failure size="row" error={toWireError(query.error)} />}
      {query.isPending ? <RowSkeleton rows={5} /> : null}
      {query.data !== undefined && by === "tool" ? <ToolRows cost={query.data} /> : null}
      {query.data !== undefined && by !== "tool" ? (
        <GroupRows cost={query.data} by={by} period={period} />
      ) : null}
    </section>
  )
}

const MOST_ROWS = 100

type GroupRowsProps = {
  readonly cost: SessionsCost
  readonly by: CostParams["by"]
  readonly period: string
}

function GroupRows({ cost, by, period }: GroupRowsProps) {
  const hasChange = by !== "session"
  return (
    <Rows columns={hasChange ? COLUMNS : SESSION_COLUMNS}>
      <TableHead
        labels={[
          ...HEAD,
          ...(hasChange
            ? ([
                { text: `Trend, ${period}`, from: "roomy" },
                { text: "Change", align: "end", from: "roomy" },
              ] as const)
            : []),
        ]}
      />
      {cost.rows.slice(0, MOST_ROWS).map(({ key, label, spend, change, trend }) => (
        <Row key={key} {...(by === "session" ? { href: paths.session(key) } : {})}>
          <Text as="div" cut title={visibleLine(label)}>
            {visibleLine(label)}
          </Text>
          <SpendCells spend={spend} />
          {hasChange ? <ChangeCells change={change} trend={trend} name={label} /> : null}
        </Row>
      ))}
      <Row>
        <Text as="div" strong>
          {cost.rows.length > MOST_ROWS
            ? `Total of ${formatExact(cost.rows.length)}, ${formatExact(MOST_ROWS)} listed`
            : "Total"}
        </Text>
        <SpendCells spend={cost.total} />
        {hasChange ? <ChangeCells change={cost.change} /> : null}
      </Row>
    </Rows>
  )
}

type ChangeCellsProps = Pick<SessionsCost["rows"][number], "change" | "trend"> & {
  readonly name?: string
}

function ChangeCells({ change, trend, name = "" }: ChangeCellsProps) {
  return (
    <>
      <Cell from="roomy">
        {trend === undefined || trend.every((it) => it === null || it === 0) ? null : (
          <TrendLine values={smooth(trend)} label={`Cost by day of ${visibleLine(name)}`} />
        )}
      </Cell>
      <TextCell from="roomy" tone="2" align="end">
        {change === undefined ? "" : formatCostChange(change)}
      </TextCell>
    </>
  )
}

const MEAN_DAYS = 7

/** The mean of the last seven days shows the direction; a weekend is no change of direction. */
export function smooth(days: readonly (number | null)[]): readonly number[] {
  if (days.length <= MEAN_DAYS) return days.map((it) => it ?? 0)
  return days.map((_, i) => {
    const last = days.slice(Math.max(0, i - MEAN_DAYS + 1), i + 1).map((it) => it ?? 0)
    return last.reduce((sum, it) => sum + it, 0) / last.length
  })
}

/** Below this share of tokens from the cache a row is marked. */
const LOW_HIT_SHARE = 0.65

function SpendCells({ spend }: { readonly spend: Spend }) {
  const { tokens, calls } = spend
  const share = cacheHitShare(spend)
  const isLow = share !== null && share < LOW_HIT_SHARE
  return (
    <>
      <TextCell from="wide" mono tone="2" align="end">
        {formatExact(calls)}
      </TextCell>
      <TextCell from="wide" mono tone="2" align="end">
        {formatCount(tokens.cacheRead)}
      </TextCell>
      <TextCell from="wide" mono tone="2" align="end">
        {formatCount(tokens.cacheWrite + tokens.cacheWriteHour)}
      </TextCell>
      {share === null ? (
        <Text as="div" />
      ) : (
        <MeterFigure share={share} label="Cache hit rate" state={isLow ? "warn" : "neutral"}>
          <Text as="div" align="end" tone={isLow ? "warn" : "2"}>
            {`${Math.round(share * 100)} %`}
          </Text>
        </MeterFigure>
      )}
      <Text as="div" mono={spend.usd !== null} align="end" cut>
        {formatSpend(spend)}
      </Text>
    </>
  )
}

const TOOL_COLUMNS = {
  full: "minmax(0, 1fr) 88px 88px 104px",
  narrow: "minmax(0, 1fr) 88px",
} as const

function ToolRows({ cost }: { readonly cost: SessionsCost }) {
  return (
    <Rows columns={TOOL_COLUMNS}>
      <TableHead
        labels={[
          { text: "Tool" },
          { text: "Results", align: "end", from: "roomy" },
          { text: "Size", align: "end", from: "roomy" },
          { text: "Tokens, est.", align: "end" },
        ]}
      />
      {cost.tools.slice(0, MOST_ROWS).map((it) => (
        <Row key={it.tool}>
          <Text as="div" mono cut title={visibleLine(it.tool)}>
            {visibleLine(it.tool)}
          </Text>
          <TextCell from="roomy" mono tone="2" align="end">
            {formatExact(it.results)}
          </TextCell>
          <TextCell from="roomy" size="sm" tone="2" align="end">
            {formatBytes(it.bytes)}
          </TextCell>
          <TextCell mono align="end">
            {formatCount(it.tokens)}
          </TextCell>
        </Row>
      ))}
    </Rows>
  )
}
