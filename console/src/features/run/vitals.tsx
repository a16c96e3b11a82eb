import { formatUsd } from "#ground/base/format"
import { formatRound, formatRunTime, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { type AgentMode, formatCount, formatExact, type Run } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Donut } from "../../ui/donut/donut.tsx"
import { FilterField } from "../../ui/field/field.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Roomy, Vital, Vitals, Wide } from "../../ui/transcript/transcript.tsx"
import { newestWire } from "./usage-source.ts"
import { describeStatus, describeUsageSource, isWorking, MODES } from "./words.ts"

type RunVitalsProps = {
  readonly run: Run
  readonly now: number
  readonly isReadOnly: boolean
  readonly find: string
  readonly found: string
  readonly hostReportedAt: number | null
  onMode(mode: AgentMode): void
  onFind(text: string): void
  onNextFound(): void
}

export function RunVitals(props: RunVitalsProps) {
  const { run, now } = props
  return (
    <Vitals>
      <StatusVital run={run} />
      <Vital yields>
        <Roomy>{hostTitle(run.type)}</Roomy>
        <Text tone="2" cut>
          {visibleLine(run.model ?? "")}
        </Text>
      </Vital>
      <Vital wide>
        <Icon name="lock" size="small" />
        <Mode run={run} isReadOnly={props.isReadOnly} onMode={props.onMode} />
      </Vital>
      <ContextVital run={run} hostReportedAt={props.hostReportedAt} />
      <CostVital run={run} />
      <TicketVital run={run} />
      {run.startedBy === null ? null : (
        <Vital wide>
          <Text tone="2">by {visibleLine(run.startedBy)}</Text>
        </Vital>
      )}
      <Vital wide push>
        {props.found === "" ? null : <Text tone="3">{props.found}</Text>}
        <FilterField
          label="Find in the transcript"
          value={props.find}
          onChange={props.onFind}
          onLeave={props.onNextFound}
        />
      </Vital>
      <Vital wide>
        <Text mono tone="3">
          {elapsed(run, now)}
        </Text>
      </Vital>
    </Vitals>
  )
}

/** Between turns a pipeline of the session may wait for an answer; then the run is not over. */
function StatusVital({ run }: { readonly run: Run }) {
  const newest = useOperation("pipeline.list", { session: run.id, limit: 1 }).data?.runs[0]
  const isAsking = !isWorking(run.status) && newest?.status === "paused"
  const { mark, label } = describeStatus(isAsking ? "waiting" : run.status)
  return (
    <Vital tone={isAsking ? "warn" : toneOf(run)}>
      <StatusMark status={mark} />
      <span>
        {label}
        {isAsking || run.status === "waiting" ? (
          <Wide> for {isAsking ? "your answer" : "you"}</Wide>
        ) : null}
      </span>
    </Vital>
  )
}

function toneOf({ status }: Run): "warn" | "bad" | undefined {
  if (status === "waiting" || status === "paused") return "warn"
  return status === "failed" ? "bad" : undefined
}

function elapsed({ startedAt, endedAt }: Run, now: number): string {
  if (startedAt === null) return "not started"
  return formatRunTime(Math.max(0, (endedAt ?? now) - startedAt))
}

type ModeProps = Pick<RunVitalsProps, "run" | "isReadOnly" | "onMode">

export function Mode({ run, isReadOnly, onMode }: ModeProps) {
  if (isReadOnly || !isWorking(run.status)) return <>{run.mode}</>
  return (
    <ChoiceMenu
      label={`Mode: ${run.mode}`}
      choices={MODES.map(({ value, detail }) => ({ value, label: value, detail }))}
      value={run.mode}
      onPick={(value) => {
        const mode = MODES.find((it) => it.value === value)?.value
        if (mode !== undefined && mode !== run.mode) onMode(mode)
      }}
    >
      {run.mode}
    </ChoiceMenu>
  )
}

function ContextVital({ run, hostReportedAt }: Pick<RunVitalsProps, "run" | "hostReportedAt">) {
  const { contextUsed, contextWindow } = run
  const { data } = useOperation("agents.context", { id: run.id })
  const wire = data === undefined ? null : newestWire(data, hostReportedAt)
  const used = wire?.used ?? contextUsed
  if (used === null || contextWindow === null) return null
  const share = used / contextWindow
  const words = `${formatExact(used)} of ${formatExact(contextWindow)} tokens in the window, ${describeUsageSource(wire)}`
  return (
    <Vital title={words} tone={fillTone(share)}>
      <Donut share={share} label={words} />
      <span>{formatCount(used)}</span>
      <Roomy>
        <Text tone="3">of {formatRound(contextWindow)},</Text>
      </Roomy>
      <Text tone="3">{wire === null ? "host" : "gateway"}</Text>
      {share >= 0.8 ? <Wide>{share >= 0.95 ? "nearly full" : "filling up"}</Wide> : null}
    </Vital>
  )
}

const TICKET = /^T-[0-9A-Z]+$/

/** A run that was started for a ticket has its id as a label. */
function TicketVital({ run }: { readonly run: Run }) {
  const ticket = run.labels.find((it) => TICKET.test(it))
  if (ticket === undefined) return null
  return (
    <Vital wide>
      <Text tone="3">Ticket</Text>
      <PlaceLink href={paths.ticket(ticket)}>{ticket}</PlaceLink>
    </Vital>
  )
}

function fillTone(share: number): "warn" | "bad" | undefined {
  if (share >= 0.95) return "bad"
  return share >= 0.8 ? "warn" : undefined
}

function CostVital({ run }: { readonly run: Run }) {
  const { cost, budgetUsd, budgetTokens } = run
  const usd = run.type === "synthetic" ? null : (cost.reportedUsd ?? cost.computedUsd)
  const { input, output, cacheRead, cacheWrite } = cost.usage
  const tokens = input + output + cacheRead + cacheWrite
  const isOfTokens = budgetUsd === null && budgetTokens !== null
  const hasUsdShare = budgetUsd !== null && usd !== null
  const share = isOfTokens ? tokens / budgetTokens : (usd ?? 0) / (budgetUsd ?? Infinity)
  if (usd === null && tokens === 0) return null
  return (
    <Vital title={describeCosts(run)} tone={share >= 1 ? "bad" : undefined}>
      <span>{usd === null ? `${formatCount(tokens)} tokens` : formatUsd(usd)}</span>
      {hasUsdShare ? <Text tone="3">of {formatUsd(budgetUsd)}</Text> : null}
      {isOfTokens ? <Text tone="3">of {formatCount(budgetTokens)} tokens</Text> : null}
      {hasUsdShare || isOfTokens ? (
        <Roomy>
          <Meter share={share} label="Share of the budget spent" />
        </Roomy>
      ) : null}
    </Vital>
  )
}

export function describeCosts({ cost }: Pick<Run, "cost">): string {
  const { reportedUsd, computedUsd } = cost
  const provider =
    reportedUsd === null
      ? "The provider reports no cost"
      : `The provider reports ${formatUsd(reportedUsd)}`
  const ours =
    computedUsd === null
      ? "our price table does not know the model"
      : `our price table gives ${formatUsd(computedUsd)}`
  if (reportedUsd === null || computedUsd === null) return `${provider}; ${ours}`
  const apart = Math.abs(reportedUsd - computedUsd)
  return `${provider}; ${ours}; ${apart < 0.005 ? "they agree" : `${formatUsd(apart)} apart`}`
}
