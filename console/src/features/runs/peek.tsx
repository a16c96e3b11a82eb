import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { formatUsd } from "#ground/base/format"
import { toWireError } from "../../base/errors.ts"
import { formatMoment, formatRound, formatWhen, visible, visibleLine } from "../../base/format.ts"
import { STATUS_MARKS } from "../../base/status.ts"
import {
  type Approval,
  formatCount,
  formatExact,
  type Message,
  type Run,
  type RunStatus,
} from "../../contract.ts"
import { takesTurns, useSendAgain } from "../../data/actions/use-send-again.ts"
import { keys } from "../../data/keys.ts"
import { paths } from "../../data/paths.ts"
import { useClient } from "../../data/queries.tsx"
import { Button, IconButton, LinkButton } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Meter } from "../../ui/meter/meter.tsx"
import {
  Block,
  Flow,
  Pane,
  PaneHead,
  PaneScroll,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { ApprovalCard } from "./approval.tsx"
import { costOf, hasEnded, tokensOf } from "./lines.ts"

type PeekProps = {
  readonly run: Run
  /** `waiting` also between turns, where a pipeline of the run waits for an answer. */
  readonly status: RunStatus
  readonly approvals: readonly Approval[]
  readonly now: number
  readonly isReadOnly: boolean
  onStop(): void
  onClose(): void
}

export function Peek({ run, status, approvals, now, isReadOnly, onStop, onClose }: PeekProps) {
  const mark = STATUS_MARKS[status]
  const isAsking = status === "waiting" && hasEnded(run)
  return (
    <Pane ground="canvas" label="The selected run">
      <PaneHead
        actions={<IconButton small icon="close" label="Close" keyId="leave" onPress={onClose} />}
      >
        <StatusMark status={mark} />
        <Text strong cut title={visibleLine(run.title)}>
          {visibleLine(run.title)}
        </Text>
      </PaneHead>
      <PaneScroll>
        {approvals.map((it, i) => (
          <Block key={it.id} title={i === 0 ? "Open approval" : "Further approval"}>
            <ApprovalCard approval={it} now={now} hasKeys={i === 0} isReadOnly={isReadOnly} />
          </Block>
        ))}
        <LastMessage run={run} />
        <Block title="Run" aside={isAsking ? "waiting for your answer" : status}>
          <RunFacts run={run} now={now} />
        </Block>
        <Block>
          <Flow>
            <LinkButton
              small
              href={paths.run(run.id)}
              {...(isAsking ? { variant: "primary" } : {})}
            >
              {isAsking ? "Answer" : "Open"}
            </LinkButton>
            <SendAgain run={run} isReadOnly={isReadOnly} />
            {hasEnded(run) ? null : (
              <Button small variant="danger" icon="stop" disabled={isReadOnly} onPress={onStop}>
                Stop
              </Button>
            )}
          </Flow>
        </Block>
      </PaneScroll>
    </Pane>
  )
}

function SendAgain({ run, isReadOnly }: Pick<PeekProps, "run" | "isReadOnly">) {
  const again = useSendAgain(run, useToast().fail)
  if (run.status !== "failed" || !takesTurns(run)) return null
  return (
    <Button small disabled={isReadOnly || again.isPending} onPress={() => again.mutate()}>
      Send again
    </Button>
  )
}

const LOOKED_BACK_MESSAGES = 40
const MOST_CHARACTERS = 1_200

function LastMessage({ run }: { readonly run: Run }) {
  const client = useClient()
  const input = {
    id: run.id,
    before: run.lastSeq + 1,
    limit: LOOKED_BACK_MESSAGES,
    brief: true,
  }
  const { data, error } = useQuery({
    queryKey: keys.operation("agents.messages", input),
    queryFn: ({ signal }) => client.read("agents.messages", input, { signal }),
    enabled: run.lastSeq > 0,
    placeholderData: keepPreviousData,
  })
  if (error !== null) return <Failure size="row" error={toWireError(error)} />
  const words = run.error ?? lastMessageIn(data?.messages ?? [])
  return (
    <Block title={run.error === null ? "Last message" : "Error"}>
      {words !== undefined && run.error === null ? (
        <Markdown text={words.slice(0, MOST_CHARACTERS)} />
      ) : (
        <Text as="p" wrap {...(run.error === null ? {} : { tone: "bad" })}>
          {visible(words?.slice(0, MOST_CHARACTERS) ?? "No messages yet.")}
        </Text>
      )}
    </Block>
  )
}

export function lastMessageIn(messages: readonly Message[]): string | undefined {
  const message = messages.findLast(
    (it) => (it.type === "assistant" || it.type === "response") && it.content.trim() !== "",
  )
  return message?.content.trim()
}

function RunFacts({ run, now }: { readonly run: Run; readonly now: number }) {
  const { contextUsed, contextWindow, cwd, labels, mode, model, type, workflow } = run
  const tokens = tokensOf(run)
  return (
    <Stack gap="8">
      <Values>
        <Value name="Agent">
          {type} {model === null ? "" : visibleLine(model)}
        </Value>
        <Value name="Mode">{mode}</Value>
        <Value name="Started" title={formatMoment(run.startedAt ?? run.createdAt)}>
          {formatWhen(run.startedAt ?? run.createdAt, now)}
        </Value>
        <Value name="Folder">
          <Path path={cwd} />
        </Value>
        {contextUsed === null || contextWindow === null ? null : (
          <Value name="Context">
            {formatCount(contextUsed)} of {formatRound(contextWindow)} tokens
          </Value>
        )}
        {tokens === 0 ? null : <Value name="Used">{formatExact(tokens)} tokens</Value>}
        <CostValue run={run} />
        <Value name="Progress">{visibleLine(workflow)}</Value>
        {labels.length === 0 ? null : (
          <Value name="Labels">{labels.map(visibleLine).join(", ")}</Value>
        )}
        <Value name="Id" title={run.id}>
          <Text mono>{run.id}</Text>
        </Value>
      </Values>
      <BudgetMeter run={run} />
    </Stack>
  )
}

function CostValue({ run }: { readonly run: Run }) {
  const { reportedUsd, computedUsd } = run.cost
  if (costOf(run) === null) return null
  const isOne = reportedUsd === null || computedUsd === null || reportedUsd === computedUsd
  const description = isOne
    ? formatUsd(reportedUsd ?? computedUsd ?? 0)
    : `${formatUsd(reportedUsd)} by the provider, ${formatUsd(computedUsd)} by our table`
  return <Value name="Cost">{description}</Value>
}

function BudgetMeter({ run }: { readonly run: Run }) {
  const usd = costOf(run)
  if (run.budgetUsd === null || usd === null) return null
  const label = `${formatUsd(usd)} of ${formatUsd(run.budgetUsd)}`
  return (
    <Stack>
      <Meter share={usd / run.budgetUsd} label={label} />
      <Text size="xs" tone="2">
        {label}
      </Text>
    </Stack>
  )
}
