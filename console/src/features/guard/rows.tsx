import { formatClock, formatClockFine, nameDay, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import type { VerdictLine } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { GuardParams } from "../../data/paths.ts"
import { useSessionNames } from "../../data/session-names.ts"
import { CollectionList, type ListRef } from "../../ui/collection/collection.tsx"
import {
  Cell,
  Group,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { describeEvent, describeMorePaths, describeVerdict, VERDICT_LOOKS } from "./words.ts"

const COLUMNS = {
  full: "14px 88px 60px 84px minmax(0, 1fr) minmax(0, 1.3fr) 88px 64px 64px",
  tight: "14px 88px 60px 84px minmax(0, 1fr) minmax(0, 1fr)",
  narrow: "14px minmax(0, 1fr) 44px",
  nameSpan: 5,
} as const

type VerdictRowsProps = ParamsProps<GuardParams> & {
  readonly lines: readonly Line[]
  readonly handle: ListRef
}

export function VerdictRows({ lines, params, handle, onParams }: VerdictRowsProps) {
  return (
    <CollectionList
      ref={handle}
      label="Verdicts"
      columns={COLUMNS}
      head={<TableHead labels={ROWS_HEAD} />}
      items={lines}
      keyOf={(it) => (it.kind === "day" ? it.name : it.key)}
      isHeading={(it) => it.kind === "day"}
      at={params.at}
      openKey="guard.open"
      onMove={(at) => onParams({ at }, "replace")}
      onOpen={(row) => {
        if (row.kind === "verdict") onParams({ at: row.key, show: row.key, trying: false })
      }}
      renderItem={(it, option) =>
        it.kind === "day" ? (
          <Group amongOptions name={it.name} count={it.count} />
        ) : (
          <VerdictRow line={it.line} option={option} />
        )
      }
    />
  )
}

const ROWS_HEAD = [
  { text: "" },
  { text: "Time" },
  { text: "Verdict" },
  { text: "Rule" },
  { text: "Path or event" },
  { text: "Message" },
  { text: "Host", from: "wide" },
  { text: "Session", from: "wide" },
  { text: "Tool", from: "wide" },
] as const

function VerdictRow({ line, option }: { readonly line: VerdictLine; readonly option: RowOption }) {
  const { at, rule, verdict, host, session, tool } = line
  const nameOf = useSessionNames()
  const { label, tone, mark } = VERDICT_LOOKS[verdict]
  const message = visibleLine(line.text.replaceAll("\n", " "))
  return (
    <Row option={option} ghost={verdict === "silent"}>
      <StatusMark status={mark} />
      <Cell from="roomy">
        <Text mono tone="3">
          {formatClockFine(at)}
        </Text>
      </Cell>
      <TextCell from="roomy" size="sm" tone={tone} cut>
        {label}
      </TextCell>
      <SmallCell from="roomy" text={rule ?? ""} />
      <Stack>
        <Subject line={line} />
        <NarrowLine>
          {[describeVerdict(line), message].filter((it) => it !== "").join(", ")}
        </NarrowLine>
      </Stack>
      <SmallCell from="roomy" text={message} />
      <SmallCell from="wide" text={hostTitle(host)} />
      <TextCell from="wide" tone="2" cut title={visibleLine(session)}>
        {nameOf(session)}
      </TextCell>
      <SmallCell from="wide" text={visibleLine(tool ?? "")} />
      <NarrowLine align="end">{formatClock(at)}</NarrowLine>
    </Row>
  )
}

type SmallCellProps = { readonly from: "wide" | "roomy"; readonly text: string }

function SmallCell({ from, text }: SmallCellProps) {
  return (
    <TextCell from={from} size="sm" tone="2" cut title={text}>
      {text}
    </TextCell>
  )
}

function Subject({ line: { paths, event } }: { readonly line: VerdictLine }) {
  const [path] = paths
  if (path === undefined) {
    return (
      <Text as="div" tone="2" cut>
        {describeEvent(event)}
      </Text>
    )
  }
  const more = describeMorePaths(paths)
  return (
    <Flow>
      <Path path={path} />
      {more === "" ? null : (
        <Text size="sm" tone="3">
          {more}
        </Text>
      )}
    </Flow>
  )
}

type GuardRow = {
  readonly kind: "verdict"
  readonly key: string
  readonly line: VerdictLine
}
type Line = { readonly kind: "day"; readonly name: string; readonly count: number } | GuardRow

/**
 * Verdicts have no id: the key is their time, and verdicts with the same time are numbered from the
 * oldest, so that new ones do not change a selection.
 */
export function keyed(newestFirst: readonly VerdictLine[]): readonly GuardRow[] {
  const countByTime = new Map<number, number>()
  const rows = newestFirst.toReversed().map((line): GuardRow => {
    const position = countByTime.get(line.at) ?? 0
    countByTime.set(line.at, position + 1)
    return { kind: "verdict", key: position === 0 ? `${line.at}` : `${line.at}-${position}`, line }
  })
  return rows.toReversed()
}

export function matching(rows: readonly GuardRow[], text: string): readonly GuardRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter(({ line }) => {
    const { host, session, event, tool, rule, paths } = line
    const all = [host, hostTitle(host), session, event, tool ?? "", rule ?? "", ...paths, line.text]
    const haystack = all.join(" ").toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}

export function byDay(rows: readonly GuardRow[], now: number): readonly Line[] {
  const days = Map.groupBy(rows, ({ line }) => nameDay(line.at, now))
  return [...days].flatMap(([name, ofDay]) => [
    { kind: "day", name, count: ofDay.length } as const,
    ...ofDay,
  ])
}
