import {
  formatClock,
  formatDate,
  formatRound,
  formatWhen,
  nameDay,
  visibleLine,
} from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import { formatCount, formatExact, plural, type SessionHit } from "../../contract.ts"
import {
  Cell,
  Group,
  NameCell,
  NarrowEnd,
  Row,
  type RowOption,
  TextCell,
} from "../../ui/list/list.tsx"
import { cutAround, MatchText } from "../../ui/match-text/match-text.tsx"
import { Flow, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Trend } from "../../ui/trend/trend.tsx"
import type { SessionEntry, SessionLineItem } from "./entries.ts"

export const SESSION_COLUMNS = {
  full: "14px minmax(0, 1fr) 116px 64px 40px 64px 48px 76px",
  tight: "14px minmax(0, 1fr) 96px 64px 60px 60px",
  narrow: "14px minmax(0, 1fr) 48px",
} as const

export const SESSION_HEAD = [
  { text: "" },
  { text: "Session" },
  { text: "Context", from: "roomy" },
  { text: "Peak", align: "end", from: "roomy" },
  { text: "Turns", align: "end", from: "wide" },
  { text: "Cost", align: "end", from: "roomy" },
  { text: "Files", align: "end", from: "wide" },
  { text: "Last", align: "end" },
] as const

export function GroupRow({ line }: { readonly line: Extract<SessionLineItem, { kind: "group" }> }) {
  return <Group amongOptions name={line.name} count={line.count} sum={line.sum} sumFrom="roomy" />
}

type SessionRowProps = {
  readonly entry: SessionEntry
  readonly hit: SessionHit | null
  readonly words: readonly string[]
  readonly now: number
  readonly option: RowOption
}

export function SessionRow({ entry, hit, words, now, option }: SessionRowProps) {
  const { turns, files, cost, at } = entry
  return (
    <Row lines={2} wraps option={option}>
      <StatusMark status={entry.mark} />
      <Stack>
        <NameCell>
          <Text cut title={entry.title}>
            {entry.title}
          </Text>
          {hit === null ? null : <Tag>{formatExact(hit.matches)}</Tag>}
        </NameCell>
        <Flow align="apart">
          {hit === null ? <Origin entry={entry} /> : <Excerpt hit={hit} words={words} />}
          <NarrowEnd>
            <ContextTrend small entry={entry} />
          </NarrowEnd>
        </Flow>
      </Stack>
      <Cell from="roomy">
        <ContextTrend entry={entry} />
      </Cell>
      <Cell from="roomy">
        <Peak entry={entry} />
      </Cell>
      <TextCell from="wide" mono tone="2" align="end">
        {turns === null ? "" : formatExact(turns)}
      </TextCell>
      <TextCell
        from="roomy"
        mono={/\d/.test(cost)}
        size="sm"
        {...(cost === "unknown" ? { tone: "3" } : {})}
        align="end"
        cut
      >
        {cost}
      </TextCell>
      <TextCell from="wide" mono tone="2" align="end">
        {files === null || files === 0 ? "" : formatExact(files)}
      </TextCell>
      <Stack>
        <Text as="div" size="sm" tone="3" align="end" cut title={formatWhen(at, now)}>
          {shortWhen(at, now)}
        </Text>
        <NarrowEnd>
          <Text size="sm" tone="2">
            {entry.peakTokens === null ? "" : formatCount(entry.peakTokens)}
          </Text>
        </NarrowEnd>
      </Stack>
    </Row>
  )
}

function shortWhen(at: number, now: number): string {
  return nameDay(at, now) === "Today" ? formatClock(at) : formatDate(at)
}

function Origin({ entry }: { readonly entry: SessionEntry }) {
  const { host, branch, model, source, drifted } = entry
  const parts = [
    hostTitle(host),
    branch === null ? "" : visibleLine(branch),
    model === null ? "" : visibleLine(model),
    source === "ledger" ? "no transcript" : "",
  ]
  const text = parts.filter((it) => it !== "").join(", ")
  return (
    <Text as="div" size="sm" tone="3" cut title={text}>
      {text}
      {drifted === 0 ? null : <Text tone="warn">, {plural(drifted, "change")} not registered</Text>}
    </Text>
  )
}

function Excerpt({ hit, words }: { readonly hit: SessionHit; readonly words: readonly string[] }) {
  const text = cutAround(visibleLine(hit.excerpt), words)
  return <MatchText wraps text={`turn ${hit.line.turn}: ${text}`} words={words} />
}

/** The scale of sessions whose host does not report a window. */
const USUAL_WINDOW_TOKENS = 200_000

type ContextTrendProps = { readonly entry: SessionEntry; readonly small?: boolean }

function ContextTrend({ entry, small = false }: ContextTrendProps) {
  const { context, peakTokens, windowTokens, compactions } = entry
  if (context.length === 0) {
    return entry.source === "ledger" ? (
      <Text as="div" size="sm" tone="3" cut title="Hooks reported it; no transcript is indexed">
        ledger only
      </Text>
    ) : null
  }
  const peak = peakTokens ?? 0
  const compacted = compactions === 0 ? "" : `, ${plural(compactions, "compaction")}`
  return (
    <Trend
      small={small}
      values={context}
      top={windowTokens ?? Math.max(USUAL_WINDOW_TOKENS, peak)}
      label={`Window over its calls: at most ${formatCount(peak)} tokens${compacted}`}
    />
  )
}

function Peak({ entry }: { readonly entry: SessionEntry }) {
  const { peakTokens, windowTokens, compactions } = entry
  if (peakTokens === null) return null
  const share = windowTokens === null ? null : peakTokens / windowTokens
  const note = compactions > 0 ? "compacted" : ""
  return (
    <Stack>
      <Text as="div" mono align="end" {...toneOf(share)}>
        {formatCount(peakTokens)}
      </Text>
      <Text as="div" size="sm" tone="3" align="end" cut title={describeShare(entry)}>
        {share === null ? note : `${Math.round(share * 100)} %`}
      </Text>
    </Stack>
  )
}

function describeShare({ windowTokens, compactions }: SessionEntry): string {
  const window =
    windowTokens === null
      ? "the host reports no window"
      : `of a window of ${formatRound(windowTokens)}`
  return compactions === 0 ? window : `${window}, ${plural(compactions, "compaction")}`
}

function toneOf(share: number | null): { readonly tone?: "warn" | "bad" } {
  if (share === null || share < 0.8) return {}
  return { tone: share >= 0.95 ? "bad" : "warn" }
}
