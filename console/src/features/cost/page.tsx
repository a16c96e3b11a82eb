import { formatUsd } from "#ground/base/format"
import { toWireError } from "../../base/errors.ts"
import { formatCents, formatMonthDay, visibleLine } from "../../base/format.ts"
import { allTokens, cacheHitShare, formatSpend } from "../../base/spend.ts"
import {
  type CostByType,
  formatCostChange,
  formatCount,
  formatExact,
  plural,
  type SessionsCost,
} from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { COST_PERIODS, type CostParams, paths } from "../../data/paths.ts"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { ChartBeside, DayBars, type Series, SeriesBar } from "../../ui/day-bars/day-bars.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { FigureLine } from "../../ui/figure/figure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import {
  Block,
  Columns,
  Flow,
  MoreFilters,
  OnlyWide,
  Pane,
  PaneScroll,
  Stack,
} from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Breakdown, TABS } from "./breakdown.tsx"
import { Budgets, PlanWindows } from "./budgets.tsx"
import { ExportMenu } from "./export-menu.tsx"
import { Findings } from "./findings.tsx"
import { useCost } from "./use-cost.ts"

type CostRow = SessionsCost["rows"][number]

export function CostPage(props: PageProps<CostParams>) {
  const { params, onParams } = props
  const cost = useCost(params, "day")
  return (
    <>
      <Header title="Cost" facts={<Facts cost={cost.data} />}>
        <ChoiceMenu
          label={`Period: ${PERIODS[params.since]}`}
          value={params.since}
          choices={COST_PERIODS.map((it) => ({
            value: it,
            label: PERIODS[it],
            detail: "Days in UTC",
          }))}
          onPick={(value) =>
            onParams({ since: COST_PERIODS.find((it) => it === value) ?? "30d", day: "" })
          }
        >
          {PERIODS[params.since]}
        </ChoiceMenu>
        <MoreFilters bare isActive={params.here}>
          <ChoiceMenu
            label={`Repository: ${params.here ? "This repository" : "All repositories"}`}
            value={params.here ? "here" : ""}
            choices={[
              { value: "", label: "All repositories", detail: "No filter" },
              { value: "here", label: "This repository", detail: "With all its worktrees" },
            ]}
            onPick={(value) => onParams({ here: value === "here" })}
          >
            {params.here ? "This repository" : "All repositories"}
          </ChoiceMenu>
          {cost.data === undefined || cost.data.total.calls === 0 ? null : (
            <ExportMenu params={params} group={TABS[params.by]} />
          )}
          <Button
            keyId="cost.budget"
            onPress={() => navigate(paths.settings({ at: "sessions.monthBudget" }))}
          >
            Set budget
          </Button>
        </MoreFilters>
      </Header>
      <Columns
        facts={
          cost.data === undefined || cost.data.total.calls === 0 ? undefined : (
            <Pane label="Findings" ground="canvas">
              <Findings since={params.since} now={props.now} />
            </Pane>
          )
        }
        factsWidth="detail"
      >
        <Pane label="Cost">
          <PaneScroll>
            {cost.error === null ? null : (
              <Failure
                size="pane"
                error={toWireError(cost.error)}
                onRetry={() => void cost.refetch()}
              />
            )}
            {cost.isPending ? <RowSkeleton rows={10} /> : null}
            {cost.data === undefined ? null : <CostContent {...props} cost={cost.data} />}
          </PaneScroll>
        </Pane>
      </Columns>
    </>
  )
}

const PERIODS = { "7d": "7 days", "30d": "30 days", "90d": "90 days" } as const

function Facts({ cost }: { readonly cost: SessionsCost | undefined }) {
  if (cost === undefined) return null
  return (
    <OnlyWide>
      <Text as="div" tone="3" cut>
        list prices of {formatMonthDay(Date.parse(`${cost.priceTable}T12:00`))}
      </Text>
    </OnlyWide>
  )
}

type CostContentProps = PageProps<CostParams> & { readonly cost: SessionsCost }

function CostContent(props: CostContentProps) {
  const { cost, params, onParams } = props
  if (cost.total.calls === 0) return <NoCost cost={cost} />
  return (
    <>
      <Summary cost={cost} period={PERIODS[params.since]} isFiltered={params.here} />
      {cost.unpricedModels.length === 0 ? null : (
        <Notice tone="warn" description={describeUnpriced(cost)} />
      )}
      <PlanWindows windows={cost.planWindows} now={props.now} />
      <Days {...props} />
      <Breakdown params={params} onParams={onParams} period={PERIODS[params.since]} />
    </>
  )
}

function NoCost({ cost }: { readonly cost: SessionsCost }) {
  const { waitingFiles } = cost.import
  return (
    <Empty
      description={
        waitingFiles === 0
          ? "No session reported tokens in this period. Costs appear after the first one."
          : `Costs come from the transcripts of your agents. ${plural(waitingFiles, "transcript")} on this machine can be imported:`
      }
      command="qm sessions import"
    >
      <div>
        <LinkButton href={paths.sessions()}>Go to Sessions</LinkButton>
      </div>
    </Empty>
  )
}

function describeUnpriced({ unpricedModels, total }: SessionsCost): string {
  const names = unpricedModels.map(visibleLine).join(", ")
  return `No price is known for ${names}; ${formatCount(total.unpricedTokens)} tokens are not in the sum.`
}

type SummaryProps = {
  readonly cost: SessionsCost
  readonly period: string
  readonly isFiltered: boolean
}

function Summary({ cost, period, isFiltered }: SummaryProps) {
  const { total } = cost
  const share = cacheHitShare(total)
  const models = modelsIn(cost.rows)
  return (
    <Block>
      <Stack gap="8">
        <Flow wrap>
          <Text size="title-md">{formatSpend(total)}</Text>
          <Text tone="2">
            {`in ${period}, at list prices; ${formatCount(allTokens(total))} tokens in ${plural(total.calls, "call")}`}
            {share === null ? "" : `, ${Math.round(share * 100)} % from the cache`}
          </Text>
          <Text tone="2">{describeChange(cost, period)}</Text>
        </Flow>
        <SeriesBar
          label="Cost by model"
          series={seriesOf(models)}
          values={models.map((it) => totalOf(cost.rows, it))}
          format={formatUsd}
        />
        <Budgets cost={cost} isFiltered={isFiltered} />
      </Stack>
    </Block>
  )
}

function describeChange({ change }: SessionsCost, period: string): string {
  if (change.beforeUsd === 0) return `no cost in the ${period} before`
  const was =
    change.beforeUsd === null ? "a cost that is partly unknown" : formatUsd(change.beforeUsd)
  const by = change.percent === null ? "change unknown" : formatCostChange(change)
  return `${by}, ${was} in the ${period} before`
}

/** Models in the order of their total, the same in every bar and in the legend. */
export function modelsIn(rows: readonly CostRow[]): readonly string[] {
  const totals = new Map<string, number>()
  for (const { model, spend } of rows.flatMap((it) => it.models ?? [])) {
    totals.set(model, (totals.get(model) ?? 0) + (spend.usd ?? 0))
  }
  return [...totals].toSorted((a, b) => b[1] - a[1]).map(([model]) => model)
}

const VENDORS = [/claude|opus|sonnet|haiku/, /^gpt|^o\d|codex/] as const

/** The hue is the vendor; the more a model cost, the earlier its shade. */
export function seriesOf(models: readonly string[]): readonly Series[] {
  const families: string[] = VENDORS.map((it) => it.source)
  const used = new Map<number, number>()
  return models.map((model) => {
    const pattern = VENDORS.find((it) => it.test(model.toLowerCase()))
    const vendor = pattern?.source ?? model.split(/[-/:.]/)[0] ?? model
    if (!families.includes(vendor)) families.push(vendor)
    const family = families.indexOf(vendor)
    const shade = used.get(family) ?? 0
    used.set(family, shade + 1)
    return { name: visibleLine(model), family, shade }
  })
}

/** Null where nothing is known, so that an unknown price is never shown as 0. */
function totalOf(rows: readonly CostRow[], model: string): number | null {
  const amounts = rows.flatMap((it) =>
    (it.models ?? []).filter((one) => one.model === model).map((one) => one.spend.usd),
  )
  const total = amounts.reduce<number>((all, it) => all + (it ?? 0), 0)
  return total === 0 && amounts.includes(null) ? null : total
}

const DAY_NAME = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "long",
  timeZone: "UTC",
})
const MONTH_NAME = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" })
const MONDAY = 1

/** `2026-11-12` as `Thu 12 November`. */
function nameDay(day: string): string {
  const at = Date.parse(day)
  return Number.isNaN(at) ? day : DAY_NAME.format(at).replace(",", "")
}

/** A short period has room for each day. */
const MOST_NAMED_DAYS = 14

/** Mondays and the picked day, but not both side by side. */
export function ticksOf(days: readonly string[], picked: string): readonly string[] {
  const index = days.indexOf(picked)
  return days.map((day, i) => {
    const at = new Date(day)
    const isBeside = index >= 0 && Math.abs(i - index) === 1
    const isNamed =
      i === index || days.length <= MOST_NAMED_DAYS || (at.getUTCDay() === MONDAY && !isBeside)
    return isNamed ? `${at.getUTCDate()}` : ""
  })
}

function Days({ cost, params, onParams }: CostContentProps) {
  const { rows } = cost
  const models = modelsIn(rows)
  const days = daysBetween(cost.since, cost.until)
  const byDay = new Map(rows.map((it) => [it.key, it]))
  const selected = byDay.get(params.day) ?? rows.at(-1)
  const index = days.indexOf(selected?.key ?? "")
  const ticks = ticksOf(days, selected?.key ?? "")
  const go = (to: string | undefined) =>
    to === undefined ? undefined : () => onParams({ day: to }, "replace")
  const withCost = days.filter((it) => byDay.has(it))
  useKey("cost.next", go(withCost.find((it) => days.indexOf(it) > index)))
  useKey("cost.previous", go(withCost.findLast((it) => days.indexOf(it) < index)))
  return (
    <ChartBeside
      chart={
        <Block title="By day and model" aside="UTC">
          <DayBars
            label="Cost by day"
            series={seriesOf(models)}
            picked={selected?.key ?? ""}
            format={formatUsd}
            end="today so far"
            bars={days.map((day, i) => {
              const row = byDay.get(day)
              return {
                key: day,
                label: nameDay(day),
                tick: ticks[i],
                month: MONTH_NAME.format(Date.parse(day)),
                values: models.map((model) => {
                  const part = row?.models?.find((it) => it.model === model)
                  return part === undefined ? 0 : part.spend.usd
                }),
                isPartUnknown: row !== undefined && row.spend.price !== "known",
              }
            })}
            onPick={(day) => onParams({ day }, "replace")}
          />
        </Block>
      }
      facts={
        selected === undefined ? null : (
          <Block title={nameDay(selected.key)} aside={plural(selected.spend.calls, "call")}>
            <TokenTypes spend={selected.spend} costs={selected.costs} />
          </Block>
        )
      }
    />
  )
}

const DAY_MS = 86_400_000

export function daysBetween(since: number, until: number): readonly string[] {
  const days: string[] = []
  for (let at = Math.floor(since / DAY_MS) * DAY_MS; at < until; at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days
}

const TOKEN_TYPES = [
  ["cacheRead", "Cache read"],
  ["cacheWrite", "Cache write"],
  ["cacheWriteHour", "Cache write, 1 hour"],
  ["input", "Fresh input"],
  ["output", "Output"],
] as const

/** Bars compare costs, or tokens where no price is known. */
function TokenTypes({ spend, costs }: Pick<CostRow, "costs" | "spend">) {
  const isPriced = spend.usd !== null && spend.usd > 0
  const shown = TOKEN_TYPES.filter(([type]) => spend.tokens[type] > 0)
  const sizeOf = (type: keyof CostByType) => (isPriced ? costs[type] : spend.tokens[type])
  const most = Math.max(Number.MIN_VALUE, ...shown.map(([type]) => sizeOf(type)))
  const share = cacheHitShare(spend)
  return (
    <Stack gap="8">
      <FigureLine label="Token type" tokens="Tokens" cost="Cost" kind="head" />
      {shown.map(([type, name]) => {
        const tokens = spend.tokens[type]
        return (
          <Stack key={type}>
            <FigureLine
              label={name}
              tokens={formatCount(tokens)}
              cost={isPriced ? formatCents(costs[type]) : "unknown"}
              costTitle={isPriced ? formatUsd(costs[type]) : undefined}
            />
            <Meter
              share={(sizeOf(type) / most) * 0.799}
              label={`${name}: ${formatExact(tokens)} tokens`}
            />
          </Stack>
        )
      })}
      <FigureLine
        label="Total"
        tokens={formatCount(allTokens(spend))}
        cost={formatSpend(spend)}
        kind="sum"
      />
      {share === null ? null : (
        <Text size="sm" tone="2">{`Cache hit rate ${Math.round(share * 100)} %.`}</Text>
      )}
    </Stack>
  )
}
