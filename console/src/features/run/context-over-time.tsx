import { useMemo } from "react"
import { compressTime } from "../../base/compressed-time.ts"
import { formatClock } from "../../base/format.ts"
import { formatCount, formatDuration, type Message, type Run } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { AreaChart } from "../../ui/area-chart/area-chart.tsx"
import type { AreaMark, AreaPoint } from "../../ui/area-chart/layout.ts"
import { LinkButton } from "../../ui/button/button.tsx"
import { RowNote } from "../../ui/list/list.tsx"
import { formatTick } from "../../ui/waterfall/axis.ts"
import { eventOf } from "./transcript/entry.ts"

type ContextOverTimeProps = {
  readonly run: Run
  readonly messages: readonly Message[]
  readonly at: number | null
  onPick(seq: number): void
}

/** The window at each report of the host, in the loaded messages. A point opens its message. */
export function ContextOverTime({ run, messages, at, onPick }: ContextOverTimeProps) {
  const chart = useMemo(() => runChart(messages), [messages])
  if (chart.points.length < 2) {
    return (
      <RowNote>
        The host reported its window {chart.points.length === 0 ? "never" : "once"} in the loaded
        messages.
        {run.sessionId === null ? null : (
          <LinkButton small href={paths.session(run.sessionId)}>
            Its transcript
          </LinkButton>
        )}
      </RowNote>
    )
  }
  const picked = chart.points.findLast((it) => at !== null && Number(it.key) <= at)
  return (
    <AreaChart
      label="Window over time"
      names={chart.isSplit ? {} : { system: "all kinds" }}
      points={chart.points}
      marks={chart.marks}
      axis={chart.axis}
      wholeMs={chart.wholeMs}
      limit={
        run.contextWindow === null
          ? null
          : { tokens: run.contextWindow, label: `window ${formatTick(run.contextWindow)}` }
      }
      picked={picked?.key ?? ""}
      onPick={(key) => onPick(Number(key))}
    />
  )
}

function runChart(messages: readonly Message[]) {
  const events = messages.map((message) => ({ message, event: eventOf(message) }))
  const reports = events.flatMap(({ message, event }) =>
    event?.event === "context.usage" ? [{ message, event }] : [],
  )
  const time = compressTime(reports.map((it) => it.message.timestamp))
  const isSplit = reports.some((it) => it.event.kinds.length > 0)
  const points = reports.map(({ message, event }, i): AreaPoint => {
    const before = reports[i - 1]?.event.used ?? 0
    const added = event.used - before
    const splitTokens = event.kinds.reduce((sum, it) => sum + it.tokens, 0)
    return {
      key: String(message.seq),
      atMs: time.positionOf(message.timestamp),
      // If the host splits only a part, the rest is conversation.
      kinds:
        event.kinds.length === 0
          ? { [isSplit ? "history" : "system"]: event.used }
          : {
              ...Object.fromEntries(event.kinds.map((it) => [it.kind, it.tokens])),
              ...(splitTokens < event.used && !event.kinds.some((it) => it.kind === "history")
                ? { history: event.used - splitTokens }
                : {}),
            },
      name: `Host report ${i + 1}`,
      when: formatClock(message.timestamp),
      description: `tokens, ${added >= 0 ? "+" : "−"}${formatCount(Math.abs(added))}`,
    }
  })
  const marks = events.flatMap(({ message, event }): readonly AreaMark[] => {
    if (event?.event !== "context.compacted") return []
    const size = (tokens: number | undefined) =>
      tokens === undefined ? "unknown" : formatCount(tokens)
    const next = reports.find((it) => it.message.seq >= message.seq)
    const sizes = `${size(event.tokensBefore)} → ${size(event.tokensAfter)}`
    return [
      {
        key: String(message.seq),
        // At the report that shows its effect, where the area drops.
        atMs: time.positionOf(next?.message.timestamp ?? message.timestamp),
        label: sizes,
        title: `Compacted, ${sizes} (${event.trigger})`,
      },
    ]
  })
  const breaks = time.breaks.map(({ fromMs, toMs, waitedMs }) => ({
    fromMs,
    toMs,
    label: `${formatDuration(waitedMs)} waiting, not to scale`,
  }))
  return { points, marks, isSplit, wholeMs: time.wholeMs, axis: { ticks: time.ticks, breaks } }
}
