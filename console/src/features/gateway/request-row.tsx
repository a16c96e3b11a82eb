import { formatMinutes, visibleLine } from "../../base/format.ts"
import { formatCount, formatExact, type GatewayRequest, plural } from "../../contract.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { Icon } from "../../ui/icon/icon.tsx"
import {
  Cell,
  NameCell,
  NarrowEnd,
  NarrowLine,
  OnPhone,
  Row,
  type RowOption,
  TextCell,
  VisuallyHidden,
} from "../../ui/list/list.tsx"
import { Stack } from "../../ui/pane/pane.tsx"
import { Tag } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { TimeFall } from "../../ui/time-fall/time-fall.tsx"
import { type CountsLine, kindsOf, type RequestLine, type Scale } from "./lines.ts"
import {
  badgesOf,
  cacheShareOf,
  describeNewItems,
  describeUsage,
  formatPercent,
  formatTime,
  inputOf,
  isCount,
  usageOf,
} from "./words.ts"

type RequestRowProps = {
  readonly line: RequestLine
  readonly scale: Scale
  readonly option: RowOption
}

export function RequestRow({ line, scale, option }: RequestRowProps) {
  const { request, sinceMs } = line
  const news = visibleLine(describeNewItems(request))
  const share = cacheShareOf(request)
  const usage = usageOf(request)
  const input = formatInput(request)
  return (
    <Row option={option}>
      <TextCell from="roomy" mono tone="3" align="end">
        {request.seq}
      </TextCell>
      <TextCell from="roomy" mono tone="3" align="end">
        {formatMinutes(sinceMs)}
      </TextCell>
      <Stack>
        <NameCell>
          <Badges line={line} />
          <Text cut title={news} {...(news === "" ? { tone: "3" } : {})}>
            {news === "" ? "nothing new" : news}
          </Text>
          <VisuallyHidden>{describeUsage(request)}</VisuallyHidden>
        </NameCell>
        <NarrowLine onPhone>
          request {request.seq} at {formatMinutes(sinceMs)}, {formatTime(request.durationMs)}
          {share === null ? "" : `, ${formatPercent(share)} cached`}
        </NarrowLine>
      </Stack>
      <TextCell from="wide" size="sm" tone="2" cut title={visibleLine(request.model ?? "")}>
        {visibleLine(request.model ?? "")}
      </TextCell>
      <Figure text={input} title={describeUsage(request)} />
      <TextCell from="roomy" size="sm" tone="2" align="end" title={describeCacheUsage(line)}>
        {share === null ? "" : formatPercent(share)}
      </TextCell>
      <Figure wide tone="2" text={describeRequest(usage?.cacheWrite)} />
      <Figure wide tone="2" text={describeRequest(usage?.input)} />
      <Figure wide tone="2" text={describeRequest(usage?.output)} />
      <Cell from="roomy">
        {isCount(request) ? null : (
          <RowBudgetBar tokens={kindsOf(request)} window={scale.mostTokens} />
        )}
      </Cell>
      <TextCell from="roomy" size="sm" tone="2" align="end" title={formatElapsed(line)}>
        {formatTime(request.durationMs)}
      </TextCell>
      <Cell from="roomy">
        <Elapsed line={line} longestMs={scale.longestMs} />
      </Cell>
      <Cell from="wide">
        <Placed line={line} wholeMs={scale.wholeMs} />
      </Cell>
      <NarrowEnd>
        <Text as="div" size="sm">
          {input === "" ? "" : `${input} tokens`}
        </Text>
        <OnPhone>
          <Elapsed line={line} longestMs={scale.longestMs} />
        </OnPhone>
      </NarrowEnd>
    </Row>
  )
}

type CountsRowProps = { readonly line: CountsLine; readonly option: RowOption }

export function CountsRow({ line, option }: CountsRowProps) {
  return (
    <Row option={option} ghost>
      <Cell from="roomy" />
      <TextCell from="roomy" mono tone="3" align="end">
        {formatMinutes(line.sinceMs)}
      </TextCell>
      <NameCell>
        <Icon name={line.isOpen ? "chevron-down" : "chevron-right"} size="small" />
        <Text cut tone="3" title="These requests count tokens and use none">
          {plural(line.count, "count")}
        </Text>
        <VisuallyHidden>{line.isOpen ? "open" : "folded"}</VisuallyHidden>
      </NameCell>
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
    <TextCell
      from={wide ? "wide" : "roomy"}
      mono
      align="end"
      title={title}
      {...(tone === undefined ? {} : { tone })}
    >
      {text}
    </TextCell>
  )
}

type LastedProps = { readonly line: RequestLine; readonly longestMs: number }

function Elapsed({ line: { request }, longestMs }: LastedProps) {
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

function describeRequest(tokens: number | undefined): string {
  return tokens === undefined ? "" : formatCount(tokens)
}

function formatInput(request: GatewayRequest): string {
  const exact = inputOf(request)
  if (isCount(request)) return ""
  return exact === null ? `≈${formatCount(request.tokens)}` : formatCount(exact)
}

function describeCacheUsage({ request }: RequestLine): string {
  const usage = usageOf(request)
  if (usage === null) return ""
  return `${formatExact(usage.cacheRead)} read from the cache, ${formatExact(usage.cacheWrite)} written to it`
}

function formatElapsed({ request: { firstByteMs, durationMs } }: RequestLine): string {
  const first =
    firstByteMs === null ? "no first byte" : `first byte after ${formatTime(firstByteMs)}`
  return `${formatTime(durationMs)}, ${first}`
}
