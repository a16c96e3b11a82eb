import { formatAge, visibleLine } from "../../base/format.ts"
import { plural, type Ticket } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { IN_REVIEW } from "../../data/today.ts"
import { Group, Row, RowLink, Rows, TextCell } from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { WAITING_COLUMNS } from "./waiting-list.tsx"

const LABELS = [
  { text: "", from: "roomy" },
  { text: "Since", align: "end" },
] as const

export type ReviewRow = { readonly key: string; readonly href: string; readonly ticket: Ticket }

/** Automation stops at testing: a person approves or rejects, the longest waiting ticket first. */
export function useReviewRows(): readonly ReviewRow[] {
  const { data } = useOperation("board.show", IN_REVIEW)
  return (data?.tickets ?? [])
    .toSorted((a, b) => a.laneSince - b.laneSince)
    .map((ticket) => ({ key: ticket.id, href: paths.ticket(ticket.id), ticket }))
}

type ReviewListProps = {
  readonly rows: readonly ReviewRow[]
  readonly now: number
  readonly at: string | null
}

export function ReviewList({ rows, now, at }: ReviewListProps) {
  if (rows.length === 0) return null
  return (
    <Rows columns={WAITING_COLUMNS}>
      <Group name="To review" count={rows.length} labels={LABELS} />
      {rows.map(({ key, href, ticket }) => (
        <Row key={key} lines={2} isCurrent={key === at}>
          <StatusMark status="waiting" />
          <Stack>
            <RowLink href={href}>{visibleLine(ticket.title)}</RowLink>
            <Text size="sm" tone="2" cut>
              {describeTicket(ticket)}
            </Text>
          </Stack>
          <TextCell from="roomy" size="sm" tone="3" align="end">
            Approve or reject
          </TextCell>
          <TextCell size="sm" tone="3" align="end">
            {formatAge(ticket.laneSince, now)}
          </TextCell>
        </Row>
      ))}
    </Rows>
  )
}

function describeTicket({ id, acceptance }: Ticket): string {
  const met = acceptance.filter((it) => it.isDone).length
  const criteria =
    acceptance.length === 0
      ? ""
      : `, ${met} of ${plural(acceptance.length, "criterion", "criteria")} met`
  return `${id} in testing${criteria}`
}
