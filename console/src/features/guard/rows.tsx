import type { RefObject } from "react"
import { formatClock, formatClockFine, shortSession, visibleLine } from "../../base/format.ts"
import type { VerdictLine } from "../../contract.ts"
import type { GuardParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import { Cell, Group, NarrowLine, Row, type RowOption, TableHead } from "../../ui/list/list.tsx"
import { VirtualList, type VirtualListHandle } from "../../ui/list/virtual-list.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import type { GuardRow, Line } from "./lines.ts"
import { sayEvent, sayMorePaths, sayVerdict, VERDICT_LOOKS } from "./words.ts"

type VerdictRowsProps = {
  readonly lines: readonly Line[]
  readonly params: GuardParams
  readonly handle: RefObject<VirtualListHandle | null>
  onParams(change: Partial<GuardParams>, how?: "push" | "replace"): void
}

const COLUMNS = {
  full: "14px 88px 60px 84px minmax(0, 1fr) minmax(0, 1.3fr) 88px 64px 64px",
  tight: "14px 88px 60px 84px minmax(0, 1fr) minmax(0, 1fr)",
  narrow: "14px minmax(0, 1fr) 44px",
  nameSpan: 5,
} as const

/** One line a verdict, the newest first, in groups by day. */
export function VerdictRows({ lines, params, handle, onParams }: VerdictRowsProps) {
  const rows = lines.filter((it) => it.kind === "verdict")
  const index = rows.findIndex(({ key }) => key === params.at)
  const selected = rows[index]
  const moveTo = (row: GuardRow | undefined) =>
    row === undefined ? undefined : onParams({ at: row.key }, "replace")
  const open = ({ key }: GuardRow) => onParams({ at: key, show: key, trying: false })
  useKey("list.next", () => moveTo(rows[index + 1]))
  useKey("list.previous", () => moveTo(rows[index < 0 ? rows.length - 1 : index - 1]))
  useKey("list.first", () => moveTo(rows[0]))
  useKey("list.last", () => moveTo(rows.at(-1)))
  useKey("guard.open", () => (selected === undefined ? moveTo(rows[0]) : open(selected)))
  return (
    <VirtualList
      ref={handle}
      label="Verdicts"
      columns={COLUMNS}
      head={<RowsHead />}
      items={lines}
      keyOf={(it) => (it.kind === "day" ? it.name : it.key)}
      isGroup={(it) => it.kind === "day"}
      activeIndex={selected === undefined ? -1 : lines.indexOf(selected)}
      activeId={selected === undefined ? undefined : idOf(selected)}
      sticksToEnd={false}
      renderItem={(it) =>
        it.kind === "day" ? (
          <Group amongOptions name={it.name} count={it.count} />
        ) : (
          <VerdictRow
            line={it.line}
            option={{ id: idOf(it), isSelected: it === selected, onPick: () => open(it) }}
          />
        )
      }
    />
  )
}

const idOf = ({ key }: GuardRow) => `verdict-${key}`

function RowsHead() {
  return (
    <TableHead
      labels={[
        { text: "" },
        { text: "Time" },
        { text: "Verdict" },
        { text: "Rule" },
        { text: "Path or event" },
        { text: "What was said" },
        { text: "Host", from: "wide" },
        { text: "Session", from: "wide" },
        { text: "Tool", from: "wide" },
      ]}
    />
  )
}

function VerdictRow({ line, option }: { readonly line: VerdictLine; readonly option: RowOption }) {
  const { at, rule, verdict, host, session, tool } = line
  const { word, tone, mark } = VERDICT_LOOKS[verdict]
  const said = visibleLine(line.text)
  return (
    <Row option={option} ghost={verdict === "silent"}>
      <StatusMark status={mark} />
      <Cell from="roomy">
        <Text mono tone="3">
          {formatClockFine(at)}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Text as="div" size="sm" tone={tone} cut>
          {word}
        </Text>
      </Cell>
      <SmallCell from="roomy" text={rule ?? ""} />
      <Stack>
        <Subject line={line} />
        <NarrowLine>{[sayVerdict(line), said].filter((it) => it !== "").join(", ")}</NarrowLine>
      </Stack>
      <SmallCell from="roomy" text={said} />
      <SmallCell from="wide" text={visibleLine(host)} />
      <Cell from="wide">
        <Text as="div" mono tone="2" cut title={visibleLine(session)}>
          {shortSession(session)}
        </Text>
      </Cell>
      <SmallCell from="wide" text={visibleLine(tool ?? "")} />
      <NarrowLine align="end">{formatClock(at)}</NarrowLine>
    </Row>
  )
}

type SmallCellProps = { readonly from: "wide" | "roomy"; readonly text: string }

function SmallCell({ from, text }: SmallCellProps) {
  return (
    <Cell from={from}>
      <Text as="div" size="sm" tone="2" cut title={text}>
        {text}
      </Text>
    </Cell>
  )
}

/** What it was about: a file, or where there is none, what happened. */
function Subject({ line: { paths, event } }: { readonly line: VerdictLine }) {
  const [path] = paths
  if (path === undefined) {
    return (
      <Text as="div" tone="2" cut>
        {sayEvent(event)}
      </Text>
    )
  }
  const more = sayMorePaths(paths)
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
