import { formatAge, formatDate, formatWhen, visibleLine } from "../../base/format.ts"
import type { Claim, LoggedSession } from "../../contract.ts"
import { useSessionNames } from "../../data/session-names.ts"
import { Cell, NarrowLine, Row, type RowOption, TableHead, TextCell } from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { describeExpiry, describeHolder, holderMark } from "./words.ts"

type OfItem<Item> = { readonly item: Item; readonly now: number; readonly option: RowOption }

export const LOGGED_COLUMNS = {
  full: "88px minmax(0, 1fr) minmax(0, 1.4fr)",
  narrow: "minmax(0, 1fr) 88px",
} as const

export function LoggedHead() {
  return <TableHead labels={[{ text: "Date" }, { text: "Session" }, { text: "Request" }]} />
}

export function LoggedRow({ item, option }: Omit<OfItem<LoggedSession>, "now">) {
  const { date, title, request } = item
  return (
    <Row option={option}>
      <Cell from="roomy">
        <Text mono tone="3">
          {formatDate(Date.parse(`${date}T12:00`))}
        </Text>
      </Cell>
      <Stack>
        <Cell lead>{visibleLine(title)}</Cell>
        <NarrowLine>{visibleLine(request)}</NarrowLine>
      </Stack>
      <SmallCell text={visibleLine(request)} />
      <NarrowLine align="end">{formatDate(Date.parse(`${date}T12:00`))}</NarrowLine>
    </Row>
  )
}

export const CLAIM_COLUMNS = {
  full: "14px minmax(0, 1fr) 128px 184px 72px 72px",
  tight: "14px minmax(0, 1fr) 96px 72px",
  narrow: "14px minmax(0, 1fr) 64px",
} as const

export const CLAIM_HEAD = [
  { text: "" },
  { text: "Path" },
  { text: "Session" },
  { text: "Holder", from: "wide" },
  { text: "Claimed", align: "end", from: "wide" },
  { text: "Expires", align: "end" },
] as const

export function ClaimRow({ item, now, option }: OfItem<Claim>) {
  const { path, session, takenAt } = item
  const name = useSessionNames()(session)
  const holder = describeHolder(item)
  return (
    <Row option={option}>
      <StatusMark status={holderMark(item)} />
      <Stack>
        <Cell lead>
          <Path path={path} />
        </Cell>
        <NarrowLine>{[name, holder].join(", ")}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={visibleLine(session)}>
        {name}
      </TextCell>
      <TextCell
        from="wide"
        size="sm"
        tone={item.isHolderAlive === false ? "warn" : "2"}
        cut
        title={holder}
      >
        {holder}
      </TextCell>
      <TextCell from="wide" size="sm" tone="3" align="end" title={formatWhen(takenAt, now)}>
        {formatAge(takenAt, now)}
      </TextCell>
      <Text as="div" size="sm" tone="3" align="end" cut>
        {describeExpiry(item, now)}
      </Text>
    </Row>
  )
}

type SmallCellProps = { readonly text: string; readonly isWarned?: boolean }

function SmallCell({ text, isWarned = false }: SmallCellProps) {
  return (
    <TextCell from="roomy" size="sm" tone={isWarned ? "warn" : "2"} cut title={text}>
      {text}
    </TextCell>
  )
}
