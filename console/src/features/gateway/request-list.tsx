import { useMemo } from "react"
import type { GatewayShow } from "../../contract.ts"
import { formatCount, formatExact } from "../../contract.ts"
import type { GatewayAddress } from "../../data/gateway-search.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Cell,
  Group,
  Heard,
  NameCell,
  NarrowEnd,
  NarrowLine,
  Row,
  RowNote,
  type RowOption,
  TableHead,
} from "../../ui/list/list.tsx"
import { VirtualList } from "../../ui/list/virtual-list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TimeFall } from "../../ui/time-fall/time-fall.tsx"
import { visibleLine } from "../../ui/visible.ts"
import {
  type CarryLine,
  kindsOf,
  type Line,
  linesOf,
  type RequestLine,
  type Scale,
  scaleOf,
} from "./lines.ts"
import {
  badgesOf,
  cacheShareOf,
  inputOf,
  MODE_SAYS,
  sayAt,
  sayNews,
  saySeconds,
  saySharePercent,
  sayUsage,
} from "./words.ts"

type RequestListProps = {
  readonly show: GatewayShow
  readonly search: GatewayAddress
  onSearch(change: Partial<GatewayAddress>, how?: "push" | "replace"): void
}

const COLUMNS = {
  full: "32px 40px minmax(0, 1fr) minmax(0, 104px) 52px 44px 48px 48px 48px 72px 48px 56px minmax(72px, 14%)",
  tight: "32px 40px minmax(0, 1fr) 52px 44px 64px 48px 48px",
  narrow: "minmax(0, 1fr) 96px",
  nameSpan: 3,
} as const

/** Requests in their order; keys walk, Enter opens, and the newest stays in sight. */
export function RequestList({ show, search, onSearch }: RequestListProps) {
  const lines = useMemo(() => linesOf(show, search.who), [show, search.who])
  const scale = useMemo(() => scaleOf(show), [show])
  const indexes = useMemo(() => new Map(lines.map((it, i) => [it.key, i])), [lines])
  useListKeys({ lines, search, onSearch })
  const idOf = (line: Line) => `request-${indexes.get(line.key) ?? 0}`
  const pick = (line: Line) =>
    onSearch({ at: line.key === search.at ? "" : line.key, piece: null, from: null })
  const selected = lines[indexes.get(search.at) ?? -1]
  if (lines.length === 0) return <RowNote>None of the requests that are listed.</RowNote>
  return (
    <VirtualList
      label="Requests"
      columns={COLUMNS}
      head={<Head />}
      items={lines}
      keyOf={(it) => it.key}
      isGroup={(it) => it.kind === "carry"}
      activeIndex={indexes.get(search.at) ?? -1}
      activeId={selected === undefined ? undefined : idOf(selected)}
      // What has ended is read from its beginning.
      sticksToEnd={show.carries.some((it) => it.isAlive)}
      renderItem={(it) =>
        it.kind === "carry" ? (
          <CarryHeading line={it} />
        ) : (
          <RequestRow
            line={it}
            scale={scale}
            option={{ id: idOf(it), isSelected: it === selected, onPick: () => pick(it) }}
          />
        )
      }
    />
  )
}

type ListKeys = Omit<RequestListProps, "show"> & { readonly lines: readonly Line[] }

function useListKeys({ lines, search, onSearch }: ListKeys): void {
  const options = lines.filter((it) => it.kind === "request")
  const index = options.findIndex((it) => it.key === search.at)
  const move = (line: Line | undefined) =>
    line === undefined ? undefined : onSearch({ at: line.key, piece: null, from: null }, "replace")
  useKey("list.next", () => move(options[index + 1]))
  useKey("list.previous", () => move(options[index < 0 ? options.length - 1 : index - 1]))
  useKey("list.first", () => move(options[0]))
  useKey("list.last", () => move(options.at(-1)))
  useKey("gateway.open", () => (index < 0 ? move(options[0]) : onSearch({ at: "" }, "replace")))
}

function Head() {
  return (
    <TableHead
      labels={[
        { text: "#", align: "end" },
        { text: "At", align: "end" },
        { text: "New in it" },
        { text: "Model", from: "wide" },
        { text: "Input", align: "end" },
        { text: "Cached", align: "end" },
        { text: "Written", align: "end", from: "wide" },
        { text: "Fresh", align: "end", from: "wide" },
        { text: "Output", align: "end", from: "wide" },
        { text: "Holds" },
        { text: "Took", align: "end" },
        { text: "" },
        { text: "Waterfall", from: "wide" },
      ]}
    />
  )
}

function CarryHeading({ line }: { readonly line: CarryLine }) {
  const { title, mode } = line.carry
  return <Group amongOptions name={visibleLine(title)} count={line.count} sum={MODE_SAYS[mode]} />
}

type RequestRowProps = {
  readonly line: RequestLine
  readonly scale: Scale
  readonly option: RowOption
}

function RequestRow({ line, scale, option }: RequestRowProps) {
  const { request, sinceMs } = line
  const news = visibleLine(sayNews(request))
  const exact = inputOf(request)
  const share = cacheShareOf(request)
  const input = exact === null ? `≈${formatCount(request.tokens)}` : formatCount(exact)
  return (
    <Row option={option}>
      <Cell from="roomy">
        <Text as="div" mono tone="3" align="end">
          {request.seq}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Text as="div" mono tone="3" align="end">
          {sayAt(sinceMs)}
        </Text>
      </Cell>
      <Stack>
        <NameCell>
          <Badges line={line} />
          <Text cut title={news} {...(news === "" ? { tone: "3" } : {})}>
            {news === "" ? "nothing new" : news}
          </Text>
          <Heard>{sayUsage(request)}</Heard>
        </NameCell>
        <NarrowLine>
          {request.seq}, {sayAt(sinceMs)}, {saySeconds(request.durationMs)}
          {share === null ? "" : `, ${saySharePercent(share)} cached`}
        </NarrowLine>
      </Stack>
      <Cell from="wide">
        <Text as="div" size="sm" tone="2" cut title={visibleLine(request.model ?? "")}>
          {visibleLine(request.model ?? "")}
        </Text>
      </Cell>
      <Figure text={input} title={sayUsage(request)} />
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" align="end" title={sayCache(line)}>
          {share === null ? "" : saySharePercent(share)}
        </Text>
      </Cell>
      <Figure wide tone="2" text={sayOne(request.usage?.cacheWrite)} />
      <Figure wide tone="2" text={sayOne(request.usage?.input)} />
      <Figure wide tone="2" text={sayOne(request.usage?.output)} />
      <Cell from="roomy">
        <RowBudgetBar tokens={kindsOf(request)} window={scale.mostTokens} />
      </Cell>
      <Cell from="roomy">
        <Text as="div" size="sm" tone="2" align="end" title={sayTook(line)}>
          {saySeconds(request.durationMs)}
        </Text>
      </Cell>
      <Cell from="roomy">
        <Lasted line={line} longestMs={scale.longestMs} />
      </Cell>
      <Cell from="wide">
        <Placed line={line} wholeMs={scale.wholeMs} />
      </Cell>
      <NarrowEnd>
        <Text as="div" mono>
          {input}
        </Text>
        <Lasted line={line} longestMs={scale.longestMs} />
      </NarrowEnd>
    </Row>
  )
}

function Badges({ line: { request } }: { readonly line: RequestLine }) {
  return badgesOf(request).map(({ text, title, tone }) => (
    <span key={text} title={visibleLine(title)}>
      <Tag {...(tone === undefined ? {} : { tone })}>{text}</Tag>
    </span>
  ))
}

type FigureProps = {
  readonly text: string
  readonly title?: string
  readonly tone?: "2"
  readonly wide?: boolean
}

function Figure({ text, title, tone, wide = false }: FigureProps) {
  return (
    <Cell from={wide ? "wide" : "roomy"}>
      <Text as="div" mono align="end" title={title} {...(tone === undefined ? {} : { tone })}>
        {text}
      </Text>
    </Cell>
  )
}

type LastedProps = { readonly line: RequestLine; readonly longestMs: number }

/** How long it was waited for and how long it lasted, against the longest of them. */
function Lasted({ line: { request }, longestMs }: LastedProps) {
  return (
    <TimeFall
      bare
      wholeMs={longestMs}
      fromMs={0}
      tookMs={request.durationMs}
      waitedMs={request.firstByteMs}
      tone={toneOf(request.outcome)}
    />
  )
}

type PlacedProps = { readonly line: RequestLine; readonly wholeMs: number }

/** When it was, in the whole of them. */
function Placed({ line: { request, sinceMs }, wholeMs }: PlacedProps) {
  return (
    <TimeFall
      wholeMs={wholeMs}
      fromMs={sinceMs}
      tookMs={request.durationMs}
      waitedMs={0}
      tone={toneOf(request.outcome)}
    />
  )
}

function toneOf(outcome: RequestLine["request"]["outcome"]): "bad" | "warn" | undefined {
  if (outcome === "answered") return undefined
  return outcome === "cut" || outcome === "aborted" ? "warn" : "bad"
}

function sayOne(tokens: number | undefined): string {
  return tokens === undefined ? "" : formatCount(tokens)
}

function sayCache({ request: { usage } }: RequestLine): string {
  if (usage === null) return ""
  return `${formatExact(usage.cacheRead)} read from the cache, ${formatExact(usage.cacheWrite)} written to it`
}

function sayTook({ request: { firstByteMs, durationMs } }: RequestLine): string {
  const first =
    firstByteMs === null ? "no first byte" : `first byte after ${saySeconds(firstByteMs)}`
  return `${saySeconds(durationMs)}, ${first}`
}
