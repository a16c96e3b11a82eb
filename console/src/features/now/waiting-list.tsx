import { useCallback, useState } from "react"
import { formatAge, visibleLine } from "../../base/format.ts"
import { type Approval, type NowRow, plural } from "../../contract.ts"
import { useAnswer } from "../../data/actions/use-answer.ts"
import { type ApprovalQuestion, describeAsk } from "../../data/approvals.ts"
import { paths } from "../../data/paths.ts"
import { hrefOfRow } from "../../data/today.ts"
import { AskLine } from "../../ui/ask/ask.tsx"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { Cell, Group, NarrowEnd, Row, RowLink, Rows, TextCell } from "../../ui/list/list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

/** Also of the tickets below this list. */
export const WAITING_COLUMNS = {
  full: "14px minmax(0, 1fr) 176px 72px",
  tight: "14px minmax(0, 1fr) 144px 72px",
  narrow: "14px minmax(0, 1fr) 72px",
  nameSpan: 2,
} as const

const LABELS = [
  { text: "", from: "roomy" },
  { text: "Since", align: "end", from: "roomy" },
] as const

export type WaitingRow = {
  readonly key: string
  readonly row: NowRow
  readonly approval: Approval | undefined
  readonly further: number
}

export function waitingRows(
  rows: readonly NowRow[],
  approvals: readonly Approval[],
): readonly WaitingRow[] {
  const waiting = rows.map((row) => {
    const [approval, ...others] = approvals.filter((it) => it.runId === row.id)
    return { key: approval?.id ?? row.id, row, approval, further: others.length }
  })
  return waiting.toSorted((a, b) => sinceOf(a) - sinceOf(b))
}

function sinceOf({ row, approval }: WaitingRow): number {
  return approval?.requestedAt ?? row.at
}

type WaitingListProps = {
  readonly rows: readonly WaitingRow[]
  readonly now: number
  readonly at: string | null
  readonly isReadOnly: boolean
}

export function WaitingList({ rows, now, at, isReadOnly }: WaitingListProps) {
  if (rows.length === 0) return null
  return (
    <Rows columns={WAITING_COLUMNS}>
      <Group name="Waiting for you" count={rows.length} labels={LABELS} />
      {rows.map((it) => (
        <WaitingLine
          key={it.key}
          waiting={it}
          now={now}
          isCurrent={it.key === at}
          isReadOnly={isReadOnly}
        />
      ))}
    </Rows>
  )
}

type WaitingLineProps = {
  readonly waiting: WaitingRow
  readonly now: number
  readonly isCurrent: boolean
  readonly isReadOnly: boolean
}

function WaitingLine({ waiting, now, isCurrent, isReadOnly }: WaitingLineProps) {
  const { row, approval, further } = waiting
  const ask = approval === undefined ? undefined : describeAsk(approval)
  const [fits, setFits] = useState(false)
  const note = useCallback((it: boolean) => setFits(it), [])
  const more = further === 0 ? "" : `, and ${plural(further, "further question")}`
  return (
    <Row lines={2} isCurrent={isCurrent}>
      <StatusMark status={row.state} />
      <Stack>
        <RowLink href={hrefOfRow(row)}>{visibleLine(row.title)}</RowLink>
        {ask === undefined ? (
          <Text size="sm" tone="2" cut>
            {visibleLine(row.ask ?? "")}
          </Text>
        ) : (
          <AskLine
            lead={`${row.agent ?? "The agent"} asks to ${ask.verb}`}
            subject={ask.subject}
            after={more}
            onFit={note}
          />
        )}
      </Stack>
      <Cell from="roomy" above>
        {isCurrent && !isReadOnly && approval !== undefined && ask !== undefined ? (
          <Answers approval={approval} ask={ask} canRead={ask.isWhole && fits} />
        ) : (
          <Text as="div" size="sm" tone="3" align="end" cut>
            {approval === undefined ? row.agent : "Allow or deny"}
          </Text>
        )}
      </Cell>
      <TextCell from="roomy" size="sm" tone="3" align="end">
        {formatAge(sinceOf(waiting), now)}
      </TextCell>
      <NarrowEnd above>
        <LinkButton small href={openedAt(waiting)}>
          Open
        </LinkButton>
      </NarrowEnd>
    </Row>
  )
}

/** On a phone the full request is opened before it can be answered. */
function openedAt({ row, approval }: WaitingRow): string {
  return approval === undefined
    ? hrefOfRow(row)
    : paths.runs({ view: "approvals", at: approval.id })
}

type AnswersProps = {
  readonly approval: Approval
  readonly ask: ApprovalQuestion
  readonly canRead: boolean
}

function Answers({ approval, ask, canRead }: AnswersProps) {
  const toast = useToast()
  const answer = useAnswer(toast, ({ status }) =>
    toast.show({ text: `${status === "allowed" ? "Allowed once" : "Denied"}: ${ask.subject}` }),
  )
  const { id } = approval
  return (
    <Flow align="end">
      {canRead ? (
        <Button
          small
          variant="primary"
          keyId="approval.allow"
          disabled={answer.isPending}
          onPress={() => answer.mutate({ id, decision: "allow" })}
        >
          Allow
        </Button>
      ) : (
        <LinkButton small href={paths.runs({ view: "approvals", at: id })}>
          Open
        </LinkButton>
      )}
      <Button
        small
        keyId="approval.deny"
        disabled={answer.isPending}
        onPress={() => answer.mutate({ id, decision: "deny" })}
      >
        Deny
      </Button>
    </Flow>
  )
}
