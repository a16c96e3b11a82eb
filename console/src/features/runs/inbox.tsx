import { useState } from "react"
import { formatAge, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { type Approval, plural, type Run } from "../../contract.ts"
import { describeAsk } from "../../data/approvals.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { paths, type RunsParams } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { AskLine } from "../../ui/ask/ask.tsx"
import { IconButton, LinkButton } from "../../ui/button/button.tsx"
import { CollectionList, Loaded } from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, Row, type RowOption, TextCell } from "../../ui/list/list.tsx"

import { Block, Pane, PaneHead, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { ApprovalCard } from "./approval.tsx"

import type { RunsData } from "./use-runs.ts"

type InboxProps = PageProps<RunsParams> & { readonly data: RunsData }

const COLUMNS = {
  full: "14px minmax(0, 1fr) 96px 72px",
  tight: "14px minmax(0, 1fr) 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

export function InboxPane({ now, data, params, onParams }: InboxProps) {
  const { inbox, approvals = NONE, all } = data
  const selected = approvals.find((it) => it.id === params.at)
  const run = all.find((it) => it.id === selected?.runId)
  useKey("runs.open", run === undefined ? undefined : () => navigate(paths.run(run.id)))
  return (
    <Pane label="Approvals">
      <Loaded query={inbox} rows={4}>
        {() =>
          approvals.length === 0 ? (
            <Empty description="No agent is waiting for an answer. Requests of agents in the modes ask and edits appear here and on Now." />
          ) : (
            <CollectionList
              label="Open approvals"
              columns={COLUMNS}
              items={approvals}
              lines={2}
              keyOf={(it) => it.id}
              idOf={(it) => `approval-${it.id}`}
              at={params.at}
              onMove={(at) => onParams({ at }, "replace")}
              onOpen={(it) => onParams({ at: it.id === params.at ? "" : it.id })}
              renderItem={(it, option) => (
                <AskRow
                  approval={it}
                  run={all.find((one) => one.id === it.runId)}
                  now={now}
                  option={option}
                />
              )}
            />
          )
        }
      </Loaded>
    </Pane>
  )
}

const NONE: readonly Approval[] = []

type AskRowProps = {
  readonly approval: Approval
  readonly run: Run | undefined
  readonly now: number
  readonly option: RowOption
}

function AskRow({ approval, run, now, option }: AskRowProps) {
  const { verb, subject } = describeAsk(approval)
  return (
    <Row lines={2} option={option}>
      <StatusMark status="waiting" />
      <Stack>
        <Cell lead>{run === undefined ? approval.runId : visibleLine(run.title)}</Cell>
        <AskLine
          lead={`${run === undefined ? "The agent" : hostTitle(run.type)} asks to ${verb}`}
          subject={subject}
        />
      </Stack>
      <TextCell from="wide" size="sm" tone="3" align="end">
        {run?.mode}
      </TextCell>
      <Text size="sm" tone="3" align="end">
        {formatAge(approval.requestedAt, now)}
      </Text>
    </Row>
  )
}

type InboxDetailProps = InboxProps & { readonly isReadOnly: boolean }

export function InboxDetail({ now, data, params, onParams, isReadOnly }: InboxDetailProps) {
  const approval = useLastSeen(
    data.approvals?.find((it) => it.id === params.at),
    params.at,
  )
  if (approval === undefined) return <Gone onClose={() => onParams({ at: "" }, "replace")} />
  const run = data.all.find((it) => it.id === approval.runId)
  const others = (data.approvals ?? NONE).filter(
    (it) => it.runId === approval.runId && it.id !== approval.id,
  )
  return (
    <Pane ground="canvas" label="The selected approval">
      <PaneHead
        actions={
          <IconButton
            small
            icon="close"
            label="Close"
            keyId="leave"
            onPress={() => onParams({ at: "" }, "replace")}
          />
        }
      >
        <Text strong cut>
          {run === undefined ? "Approval" : visibleLine(run.title)}
        </Text>
      </PaneHead>
      <PaneScroll>
        <Block>
          <ApprovalCard approval={approval} now={now} hasKeys isReadOnly={isReadOnly} />
        </Block>
        <Block>
          <Stack gap="8">
            {others.length === 0 ? null : (
              <Text tone="2">{plural(others.length, "further question")} of this run</Text>
            )}
            <div>
              <LinkButton small href={paths.run(approval.runId)}>
                Open the run
              </LinkButton>
            </div>
          </Stack>
        </Block>
      </PaneScroll>
    </Pane>
  )
}

function Gone({ onClose }: { onClose(): void }) {
  return (
    <Pane ground="canvas" label="The selected approval">
      <PaneHead
        actions={<IconButton small icon="close" label="Close" keyId="leave" onPress={onClose} />}
      >
        <Text strong>No longer open</Text>
      </PaneHead>
      <Block>
        <Text as="p" tone="2" read>
          It was answered or has expired. The page of its run shows who answered.
        </Text>
      </Block>
    </Pane>
  )
}

function useLastSeen(open: Approval | undefined, id: string): Approval | undefined {
  const [lastOpen, setSeen] = useState<Approval | undefined>(open)
  if (open !== undefined && open !== lastOpen) setSeen(open)
  const last = open ?? (lastOpen?.id === id ? lastOpen : undefined)
  const isGone = open === undefined && last !== undefined
  const { data } = useOperation(
    "agents.approvals",
    { run: last?.runId ?? "" },
    { isEnabled: isGone },
  )
  return open ?? data?.approvals.find((it) => it.id === id) ?? last
}
