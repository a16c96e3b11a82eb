import { useMemo } from "react"
import { toWireError } from "../../base/errors.ts"
import { formatCount, formatExact, plural, type SessionsContext } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { AreaChart } from "../../ui/area-chart/area-chart.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowNote, RowSkeleton, Rows, TableHead } from "../../ui/list/list.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { Flow, PaneFoot, PaneHead } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { axisFor, formatTick } from "../../ui/waterfall/axis.ts"
import { contextChart, describeSummary, PART_NAMES } from "./chart.ts"
import { compactionAt, Removed } from "./compaction.tsx"
import { contextOf } from "./context-input.ts"
import { ENTERED_COLUMNS, enteredHead, LineRow } from "./line-row.tsx"
import type { SessionPageProps } from "./page.tsx"

type ContextTabProps = SessionPageProps & {
  readonly shown: { readonly agents: readonly { readonly agent: string }[] }
}

export function ContextTab(props: ContextTabProps) {
  const { id, params } = props
  const input = contextOf(id, params)
  const { agent } = input
  const context = useOperation("sessions.context", input)
  if (context.error !== null) {
    return (
      <Failure
        size="pane"
        error={toWireError(context.error)}
        onRetry={() => void context.refetch()}
      />
    )
  }
  if (context.data === undefined) return <RowSkeleton rows={8} />
  return (
    <>
      <Agents {...props} agent={agent} summary={describeSummary(context.data)} />
      {context.data.points.length === 0 ? (
        <RowNote>The transcript reports no tokens of a model call.</RowNote>
      ) : (
        <ContextContent {...props} context={context.data} />
      )}
    </>
  )
}

type AgentsProps = ContextTabProps & { readonly agent: string; readonly summary: string }

function Agents({ shown, agent, summary, onParams }: AgentsProps) {
  const names = [...new Set(shown.agents.map((it) => it.agent.replace(/^\S+ /, "")))]
  return (
    <PaneHead
      edge="page"
      actions={
        names.length < 2 ? undefined : (
          <ChoiceMenu
            label={`Agent: ${agent}`}
            value={agent}
            choices={names.map((it) => ({
              value: it,
              label: it,
              detail: it === "main" ? "The main conversation" : "Sub-agent",
            }))}
            onPick={(to) => onParams({ agent: to === "main" ? "" : to, call: null, line: null })}
          >
            {agent}
          </ChoiceMenu>
        )
      }
    >
      <Text tone="2" cut>
        {summary}
      </Text>
    </PaneHead>
  )
}

type ContextContentProps = SessionPageProps & { readonly context: SessionsContext }

const MOST_BRANCHES = 200

function ContextContent({ id, context, params, onParams }: ContextContentProps) {
  const { points, windowTokens, left } = context
  const { data: folds } = useOperation("fold.list", {
    session: context.session,
    all: true,
    limit: MOST_BRANCHES,
  })
  const chart = useMemo(() => contextChart(context, folds?.branches ?? []), [context, folds])
  const call = Math.min(points.length, Math.max(1, params.call ?? points.length))
  const compacted = compactionAt(context, call)
  const pick = (to: number) => onParams({ call: to, line: null }, "replace")
  return (
    <>
      <AreaChart
        tall
        label="Window over time"
        lanes={chart.lanes}
        names={PART_NAMES}
        points={chart.points}
        marks={chart.marks}
        axis={chart.axis}
        wholeMs={chart.wholeMs}
        limit={
          windowTokens === null
            ? null
            : { tokens: windowTokens, label: `window ${formatTick(windowTokens)}` }
        }
        picked={String(call)}
        onPick={(key) => pick(Number(key))}
      />
      {compacted === undefined ? null : (
        <Removed compaction={compacted} before={points[call - 2]} after={points[call - 1]} />
      )}
      <Entered
        id={id}
        context={context}
        call={call}
        tab={params.tab}
        line={params.line}
        onCall={pick}
      />
      <PaneFoot>
        {left === 0 ? "" : `${formatExact(left)} earlier calls are not drawn. `}Totals are the
        provider's; the split by kind is an estimate from the sizes of the lines.
      </PaneFoot>
    </>
  )
}

const MOST_LINES = 100

type EnteredProps = {
  readonly id: string
  readonly context: SessionsContext
  readonly call: number
  readonly tab: SessionPageProps["params"]["tab"]
  readonly line: number | null
  onCall(call: number): void
}

/** The lines between the answer before and this one, largest first. */
function Entered({ id, context, call, tab, line, onCall }: EnteredProps) {
  const { agent, compactions, points } = context
  const point = points[call - 1]
  const before = points[call - 2]
  const { data, error } = useOperation("sessions.lines", {
    session: id,
    agent,
    from: before === undefined ? 0 : before.at + 1,
    until: (point?.at ?? 0) + 1,
    limit: MOST_LINES,
  })
  const lines = (data?.lines ?? []).toSorted((a, b) => b.tokens - a.tokens)
  const total = lines.reduce((sum, it) => sum + it.tokens, 0)
  const axis = axisFor(total)
  const isCompacted = compactions.some((it) => it.at > (point?.at ?? 0))
  const starts = lines.map((_, i) => lines.slice(0, i).reduce((sum, it) => sum + it.tokens, 0))
  const added = point?.added ?? 0
  const change = added >= 0 ? `${formatCount(added)} more` : `${formatCount(-added)} fewer`
  return (
    <section aria-label="What entered">
      <PaneHead
        edge="page"
        wraps
        actions={
          <Flow>
            <Button
              small
              keyId="session.previous"
              disabled={call <= 1}
              onPress={() => onCall(call - 1)}
            >
              Previous
            </Button>
            <Button
              small
              keyId="session.next"
              disabled={call >= points.length}
              onPress={() => onCall(call + 1)}
            >
              Next
            </Button>
          </Flow>
        }
      >
        <Text as="h2" strong>
          Entered at call {call}
        </Text>
        <Text tone="3" cut="wide">
          {lines.length === 0 ? "" : `${describeLines(lines.length, total)}, `}
          {change} in the window than before
        </Text>
      </PaneHead>
      {error === null ? null : <Failure size="row" error={toWireError(error)} />}
      {data !== undefined && lines.length === 0 ? (
        <RowNote>No text of this call is indexed.</RowNote>
      ) : null}
      <Rows columns={ENTERED_COLUMNS}>
        {lines.length === 0 ? null : <TableHead labels={enteredHead(axis)} />}
        {lines.map((it, i) => (
          <LineRow
            key={it.id}
            line={it}
            entered={{
              state: isCompacted ? "compacted" : "in the window",
              start: starts[i] ?? 0,
              axis,
            }}
            href={paths.session(id, {
              tab,
              call,
              line: it.id,
              ...(agent === "main" ? {} : { agent }),
            })}
            isCurrent={it.id === line}
          />
        ))}
      </Rows>
    </section>
  )
}

function describeLines(count: number, tokens: number): string {
  return `${plural(count, "entry", "entries")} with about ${formatCount(tokens)} tokens`
}
