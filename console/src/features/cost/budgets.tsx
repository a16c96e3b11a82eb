import { formatUsd } from "#ground/base/format"
import { formatAge } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { formatSpend } from "../../base/spend.ts"
import {
  type CostBudget,
  formatDuration,
  formatForecast,
  type SessionsCost,
} from "../../contract.ts"
import { ForecastMeter, Meter } from "../../ui/meter/meter.tsx"
import { Block, Flow, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"

type BudgetsProps = { readonly cost: SessionsCost; readonly isFiltered: boolean }

/** A filter of the page does not change them: a limit is for all sessions. */
export function Budgets({ cost, isFiltered }: BudgetsProps) {
  return (
    <>
      <Month cost={cost} isFiltered={isFiltered} />
      {cost.budgets
        .filter((it) => it.period !== "month")
        .map((it) => (
          <Budget key={it.period} budget={it} />
        ))}
    </>
  )
}

const MONTH_NAME = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" })

/** This month against its budget, and what it will probably cost. */
function Month({ cost, isFiltered }: BudgetsProps) {
  const { month, budgets } = cost
  const budget = budgets.find((it) => it.period === "month")
  const limitUsd = budget?.limitUsd
  const forecast = formatForecast(month, limitUsd)
  if (budget === undefined && forecast === undefined) return null
  const isOver = budget?.state === "over"
  const text = [
    formatSpend(month.spend),
    ...(limitUsd === undefined ? [] : [`of ${formatUsd(limitUsd)}`]),
    `in ${MONTH_NAME.format(month.since)}`,
    ...(isFiltered ? ["in all repositories"] : []),
  ].join(" ")
  return (
    <Stack>
      <Flow align="apart" wrap>
        <Text {...(isOver ? { tone: "bad" } : {})}>{text}</Text>
        {forecast === undefined ? (
          <Text tone="3">no forecast yet</Text>
        ) : (
          <Text tone={forecast.endsWith(" over") ? "warn" : "2"}>{forecast}</Text>
        )}
      </Flow>
      <ForecastMeter
        value={month.spend.usd ?? 0}
        limit={limitUsd}
        forecast={month.forecastUsd}
        label={forecast === undefined ? text : `${text}, ${forecast}`}
      />
    </Stack>
  )
}

function Budget({ budget }: { readonly budget: CostBudget }) {
  const { period, limitUsd, spentUsd, state } = budget
  const spent = spentUsd === null ? "unknown" : formatUsd(spentUsd)
  const text = `${spent} of ${formatUsd(limitUsd)} this ${period}`
  return (
    <Stack>
      <Flow align="apart">
        <Text>Budget of the {period}</Text>
        <Text {...(state === "over" ? { tone: "bad" } : {})}>{text}</Text>
      </Flow>
      <Meter share={spentUsd === null ? 0 : spentUsd / limitUsd} label={text} />
    </Stack>
  )
}

type PlanWindowsProps = { readonly windows: SessionsCost["planWindows"]; readonly now: number }

/** Windows of subscriptions, where a host reports them. */
export function PlanWindows({ windows, now }: PlanWindowsProps) {
  if (windows.length === 0) return null
  return (
    <Block title="Plan windows" aside="reported by the host">
      <Stack gap="8">
        {windows.map((it) => (
          <Stack key={`${it.host} ${it.windowMinutes}`}>
            <Flow align="apart">
              <Text>{`${hostTitle(it.host)}, ${describeWindow(it.windowMinutes)}`}</Text>
              <Text mono {...(it.usedPercent >= 80 ? { tone: "warn" } : {})}>
                {`${Math.round(it.usedPercent)} %`}
              </Text>
            </Flow>
            <Meter
              share={Math.min(1, it.usedPercent / 100)}
              label={`Used by ${hostTitle(it.host)}`}
            />
            <Text size="sm" tone="3">
              {it.resetsAt === null
                ? `reported ${formatAge(it.at, now)} ago`
                : `resets in ${formatDuration(Math.max(0, it.resetsAt - now))}`}
            </Text>
          </Stack>
        ))}
      </Stack>
    </Block>
  )
}

function describeWindow(minutes: number | null): string {
  if (minutes === null) return "window of unknown length"
  return minutes >= 2_880
    ? `${Math.round(minutes / 1_440)} days`
    : `${Math.round(minutes / 60)} hours`
}
