import { formatUsd } from "#ground/base/format"
import { formatAge, shortSession, visibleLine } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import {
  formatBytes,
  formatCount,
  formatExact,
  type HostSession,
  type IndexedSession,
  type LiveSession,
  plural,
} from "../../contract.ts"
import { useWatched } from "../../data/live/watch-query.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import {
  Cell,
  Group,
  type GroupLabel,
  NarrowLine,
  Row,
  Rows,
  TextCell,
} from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"

const COLUMNS = {
  full: "14px minmax(0, 1fr) 104px 144px 84px",
  narrow: "14px minmax(0, 1fr) 84px",
  nameSpan: 2,
} as const

const LABELS: readonly GroupLabel[] = [
  { text: "Host", from: "roomy" },
  { text: "Context or work", from: "roomy" },
  { text: "Last", align: "end" },
]

const MOST_STORED = 8
const SINCE_HOURS = 24
const MOST_LIVE = 50
const MOST_INDEXED = 30

type SessionRow = {
  readonly key: string
  readonly title: string
  readonly host: string
  readonly work: string
  readonly at: number
  readonly href: string
  readonly isDrifted: boolean
}

/** Sessions that hooks reported in the last day, then those that hosts stored on this machine. */
export function useRecentSessions(): readonly SessionRow[] {
  const { data: stored } = useOperation("agents.sessions", { limit: MOST_STORED })
  const { data: live } = useWatched("session.list", { sinceHours: SINCE_HOURS, limit: MOST_LIVE })
  const { data: indexed } = useOperation("sessions.list", { limit: MOST_INDEXED })
  return recentRows(live?.live ?? [], stored?.sessions ?? [], indexed?.sessions ?? [])
}

export function recentRows(
  live: readonly LiveSession[],
  stored: readonly HostSession[],
  indexed: readonly IndexedSession[] = [],
): readonly SessionRow[] {
  const indexedById = new Map(indexed.map((it) => [it.id, it]))
  const liveById = new Map(live.map((it) => [it.session, it]))
  const storedIds = new Set(stored.map((it) => it.sessionId))
  const rows = [
    ...stored.map((it) => storedRow(it, liveById.get(it.sessionId))),
    ...live.filter((it) => !storedIds.has(it.session)).map(liveRow),
  ]
  return rows
    .map((it) => withFigures(it, indexedById.get(it.key)))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST_STORED)
}

/** An imported session has its own page, and is known by its context and cost. */
function withFigures(row: SessionRow, session: IndexedSession | undefined): SessionRow {
  if (session === undefined) return row
  const { id, title, host, peakTokens, spend, endedAt } = session
  const peak = peakTokens === null ? "" : `${formatCount(peakTokens)} peak`
  const cost = spend.usd === null ? "" : formatUsd(spend.usd)
  const figures = [peak, cost].filter((it) => it !== "").join(", ")
  return {
    ...row,
    title: visibleLine(title) || row.title,
    host: hostTitle(host),
    work: figures === "" ? row.work : figures,
    // A transcript that was copied or restored has a new time; its last line has the true one.
    at: endedAt ?? row.at,
    href: paths.session(id),
  }
}

function storedRow(session: HostSession, live: LiveSession | undefined): SessionRow {
  const { sessionId, title, host, runId, sizeBytes, changedAt } = session
  const elsewhere = live === undefined ? {} : { at: sessionId, show: sessionId }
  return {
    key: sessionId,
    title: visibleLine(title),
    host: hostTitle(host),
    work: live === undefined ? formatBytes(sizeBytes) : describeEdits(live),
    at: Math.max(changedAt, live?.lastAt ?? 0),
    href: runId === null ? paths.sessions(elsewhere) : paths.run(runId),
    isDrifted: (live?.drifted ?? 0) > 0,
  }
}

function liveRow(live: LiveSession): SessionRow {
  const { session, host, lastAt, drifted } = live
  return {
    key: session,
    title: `Session ${shortSession(session)}`,
    host: hostTitle(host ?? ""),
    work: describeEdits(live),
    at: lastAt,
    href: paths.sessions({ at: session, show: session }),
    isDrifted: drifted > 0,
  }
}

function describeEdits({ drifted, edits }: LiveSession): string {
  return drifted > 0 ? `${formatExact(drifted)} not registered` : plural(edits, "edit")
}

type RecentSessionsProps = {
  readonly rows: readonly SessionRow[]
  readonly now: number
  readonly at: string | null
}

export function RecentSessions({ rows, now, at }: RecentSessionsProps) {
  if (rows.length === 0) return null
  return (
    <Rows columns={COLUMNS}>
      <Group name="Recent sessions" count={rows.length} labels={LABELS} />
      {rows.map((it) => (
        <Row key={it.key} href={it.href} isCurrent={it.key === at}>
          <StatusMark status={it.isDrifted ? "warned" : "done"} />
          <Stack>
            <Cell lead>{it.title}</Cell>
            <NarrowLine>{[it.host, it.work].filter((one) => one !== "").join(", ")}</NarrowLine>
          </Stack>
          <TextCell from="roomy" tone="2" cut>
            {it.host}
          </TextCell>
          <TextCell from="roomy" tone="2" cut>
            {it.work}
          </TextCell>
          <Text tone="3" align="end">
            {formatAge(it.at, now)}
          </Text>
        </Row>
      ))}
    </Rows>
  )
}
