import { formatBytes, formatCount, formatDuration, formatExact, plural } from "#ground/base"
import type {
  GatewayList,
  GatewayRequest,
  GatewayShow,
  GatewayTotals,
  ProxiedSession,
  TokenUsage,
  WireItem,
  WireKind,
} from "#ground/contract"
import { layoutBar } from "#ground/tokens"
import { tableRows } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { BLOCKS } from "./bar.ts"
import { describeCache } from "./gateway-cache.ts"
import { rowLimit, rowText, timeText } from "./lines.ts"

const MOST_ROWS = 60

const FIRST_STEP =
  'Record requests with `qm gateway run -- claude` or `qm run "fix the test" --gateway record`.'

export function renderGatewayList({ sessions }: GatewayList, screen: Screen): string {
  const { paint } = screen
  if (sessions.length === 0) {
    return paint.muted(`No recorded requests yet.\n${FIRST_STEP}`)
  }
  const lines = sessionLines(sessions, screen)
  return [...lines, "", paint.muted("Show the newest with `qm gateway show last`.")].join("\n")
}

const SHORTEST_TITLE_CELLS = 24
const STATE_CELLS = 7
const TIME_CELLS = 16

/** One line for each session if the screen is wide enough, else two. */
function sessionLines(sessions: readonly ProxiedSession[], screen: Screen): readonly string[] {
  const { paint, width } = screen
  const titles = sessions.map((it) => (it.run === null ? it.title : `${it.title} ${it.run}`))
  const ids = sessions.map((it) => it.id)
  const start = widest(ids) + STATE_CELLS + widest(sessions.map((it) => it.mode)) + 6
  const whole = start + widest(sessions.map(requestsText)) + 2 + TIME_CELLS + 2
  const room = width - whole
  const isWide = room >= Math.min(SHORTEST_TITLE_CELLS, widest(titles))
  const heads = sessions.map((it) => [it.id, describeState(it, screen), it.mode])
  const rows = sessions.map((session, at) => {
    const facts = isWide ? [requestsText(session), paint.muted(timeText(session.startedAt))] : []
    return [
      ...(heads[at] ?? []),
      ...facts,
      rowText(titles[at] ?? "", isWide ? room : Math.max(SHORTEST_TITLE_CELLS, width - start)),
    ]
  })
  const lines = tableRows(rows, screen)
  if (isWide) return lines.flat()
  return sessions.flatMap((it, at) => [
    ...(lines[at] ?? []),
    paint.muted(`  ${requestsText(it)}, since ${timeText(it.startedAt)}`),
  ])
}

function widest(words: readonly string[]): number {
  return Math.max(0, ...words.map((it) => it.length))
}

function requestsText({ requests, folds }: ProxiedSession): string {
  const count = plural(requests, "request")
  return folds === 0 ? count : `${count}, ${formatExact(folds)} folded`
}

function describeState({ isAlive, endedAt }: ProxiedSession, { paint }: Screen): string {
  if (endedAt !== null) return paint.muted("○ ended")
  return isAlive ? paint.accent("● open") : paint.warn("◌ lost")
}

export function renderGatewayShow(shown: GatewayShow, screen: Screen): string {
  const { paint } = screen
  const { sessions, requests, totals } = shown
  const head = [
    ...totalsText(totals, screen),
    "",
    ...sessions.flatMap((it) => aboutSession(it, screen)),
  ]
  if (requests.length === 0) return [...head, "", paint.muted("No requests are stored.")].join("\n")
  const newest = groupCounts(requests).slice(-rowLimit(MOST_ROWS, screen))
  const listed = newest.reduce((sum, it) => sum + it.length, 0)
  const before = shown.earlier + requests.length - listed
  const rest = `${plural(before, "earlier request")} not shown; list more with --limit or --json`
  return [
    ...head,
    "",
    ...waterfall(newest, { screen, isOfSeveral: sessions.length > 1 }),
    ...(before === 0 ? [] : ["", paint.muted(rest)]),
  ].join("\n")
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=\.) (?=[A-Z])/).filter((it) => it !== "")
}

function totalsText(totals: GatewayTotals, { paint }: Screen): readonly string[] {
  const { usage, requests, unknownUsage, unknownCosts, savedTokens, savedBytes, cacheShare } =
    totals
  const share = cacheShare === null ? "" : ` (${(cacheShare * 100).toFixed(1)} %)`
  const unpriced = unknownCosts === 0 ? "" : ` and ${formatExact(unknownCosts)} unknown`
  const cost = totals.costUsd === null ? "" : `, $${totals.costUsd.toFixed(4)}${unpriced}`
  const unknown =
    unknownUsage === 0 ? "" : paint.muted(`  usage unknown for ${formatExact(unknownUsage)}`)
  const saved = `${paint.bold(formatExact(savedTokens))} tokens saved by folding, ${formatBytes(savedBytes)}`
  return [
    `${paint.bold(plural(requests, "request"))}${cost}${unknown}`,
    `${formatExact(usage.input)} in, ${formatExact(usage.cacheRead)} read from the cache${share}, ` +
      `${formatExact(usage.cacheWrite)} written to it, ${formatExact(usage.output)} out`,
    ...(savedBytes === 0 ? [] : [saved]),
  ]
}

function aboutSession(proxiedSession: ProxiedSession, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const { id, title, mode, upstream, startedAt, hasContent, latchedOff, notice } = proxiedSession
  const content = hasContent ? ", with text" : ""
  const about = `${mode} to ${rowText(upstream)}${content}, since ${timeText(startedAt)}`
  const latched = `  Folding is off: ${rowText(latchedOff ?? "", width - 19)}`
  return [
    `${describeState(proxiedSession, screen)}  ${paint.bold(rowText(title))}  ${id}`,
    paint.muted(`  ${rowText(about, width - 2)}`),
    ...(latchedOff === null ? [] : [paint.warn(latched)]),
    ...sentencesOf(notice ?? "").map((it) => paint.warn(`  ${rowText(it, width - 2)}`)),
  ]
}

type WaterfallOptions = { readonly screen: Screen; readonly isOfSeveral: boolean }

/** All sessions share the columns; the id marks where another session starts. */
function waterfall(
  groups: readonly (readonly GatewayRequest[])[],
  { screen, isOfSeveral }: WaterfallOptions,
): readonly string[] {
  const { paint } = screen
  const turns = groups.flatMap((it) => (isOfCounts(it) ? [] : it))
  const most = Math.max(1, ...turns.map((it) => it.tokens))
  const [heading = [], ...rows] = tableRows(
    [HEADINGS, ...aligned(turns.map((it) => requestRow(it, most, screen)))],
    screen,
  )
  const rowOf = new Map(turns.map((it, at) => [it, rows[at] ?? []]))
  const isAside = asidesAmong(turns)
  const lines = groups.flatMap((group, at) => {
    const [request] = group
    if (request === undefined) return []
    const isFirst = groups[at - 1]?.[0]?.proxiedSession !== request.proxiedSession
    const whose = isOfSeveral && isFirst ? [paint.muted(request.proxiedSession)] : []
    if (isOfCounts(group)) return [...whose, paint.muted(countsText(group))]
    const about = aboutRequest(request, { screen, isAside: isAside(request) })
    return [...whose, ...(rowOf.get(request) ?? []), ...about]
  })
  return turns.length === 0 ? lines : [...heading.map((it) => paint.muted(it)), ...lines]
}

const HEADINGS = ["  #", "time", "model", "in", "cached", "written", "out", "held", "first byte"]

/** Columns that are aligned right. */
const FIRST_FIGURE = 3
const LAST_FIGURE = 6

function requestRow(request: GatewayRequest, most: number, screen: Screen): readonly string[] {
  const { seq, at, usage, outcome, firstByteMs } = request
  const waited = firstByteMs === null ? "" : formatDuration(firstByteMs)
  return [
    String(seq).padStart(3),
    clockText(at),
    rowText(modelText(request), screen.width - 72),
    ...FIGURES.map((it) => (usage === null ? "–" : formatExact(usage[it]))),
    kindsBar(request, most, screen),
    outcome === "answered" ? waited : screen.paint.warn(outcomeText(request)),
  ]
}

const FIGURES = [
  "input",
  "cacheRead",
  "cacheWrite",
  "output",
] as const satisfies (keyof TokenUsage)[]

function aligned(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = HEADINGS.map((it, column) =>
    Math.max(it.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows.map((row) =>
    row.map((cell, column) =>
      column >= FIRST_FIGURE && column <= LAST_FIGURE ? cell.padStart(widths[column] ?? 0) : cell,
    ),
  )
}

/** The model, or the route of a request that is not a turn. */
export function modelText({ route, model, agent }: GatewayRequest): string {
  const isTurn = route !== "count" && route !== "other"
  const what = isTurn ? (model ?? route) : route
  return agent === null ? what : `↳ ${what}`
}

export function outcomeText({ outcome, status }: GatewayRequest): string {
  return status === null || outcome !== "refused" ? outcome : `${outcome} ${status}`
}

const BAR_CELLS = 8

/** Scaled to the largest request shown. */
function kindsBar({ kinds }: GatewayRequest, most: number, { paint }: Screen): string {
  const layout = layoutBar(kinds, { width: BAR_CELLS, scale: most })
  const drawn = layout.cells.map((it) => paint.kind(it.kind, BLOCKS[it.kind].repeat(it.cells)))
  return `${drawn.join("")}${paint.muted("·".repeat(layout.free))}`
}

type RowOptions = { readonly screen: Screen; readonly isAside: boolean }

function aboutRequest(request: GatewayRequest, { screen, isAside }: RowOptions): readonly string[] {
  const { paint, width } = screen
  const { folded, gone, fallback, problem } = request
  const savedTokens = folded.reduce((sum, it) => sum + it.tokens, 0)
  const saved = `−${formatExact(savedTokens)} tokens folded`
  const changes = [
    isAside ? "outside the conversation" : "",
    newsText(request),
    gone === 0 ? "" : `${formatExact(gone)} removed`,
  ]
  const summary = changes.filter((it) => it !== "").join(", ")
  const odd = [
    ...missWords(request),
    ...secretWords(request),
    ...(fallback === null ? [] : [`sent unfolded: ${fallback}`]),
    ...(problem === null ? [] : [`recorded in part: ${problem}`]),
  ]
  return [
    ...(folded.length === 0 ? [] : [`     ${paint.ok(saved)}`]),
    ...maskWords(request).map((it) => `     ${paint.ok(it)}`),
    ...(summary === "" ? [] : [paint.muted(`     ${rowText(summary, width - 5)}`)]),
    ...odd.map((it) => paint.warn(`     ${rowText(it, width - 5)}`)),
  ]
}

function maskWords({ masked, maskable }: GatewayRequest): readonly string[] {
  if (masked !== undefined) {
    const { results, tokens, added } = masked
    const news = added === 0 ? "" : `, ${formatExact(added)} of them new`
    return [`−${formatExact(tokens)} tokens, ${plural(results, "result")} masked${news}`]
  }
  if (maskable === undefined) return []
  const { results, tokens } = maskable
  return [`${plural(results, "result")} with ${formatExact(tokens)} tokens could be masked`]
}

function missWords({ cache }: GatewayRequest): readonly string[] {
  if (cache?.verdict !== "miss") return []
  const tokens = formatExact(cache.lostTokens ?? 0)
  return [`cache missed, ${tokens} tokens sent again: ${describeCache(cache)}`]
}

function secretWords({ secrets = [], areSecretsReplaced }: GatewayRequest): readonly string[] {
  if (secrets.length === 0) return []
  const kinds = secrets.map(({ kind, count }) => (count === 1 ? kind : `${kind} ×${count}`))
  const what = areSecretsReplaced === true ? "secrets replaced" : "secrets sent"
  return [`${what}: ${kinds.join(", ")}`]
}

/** Groups consecutive token-count requests; each other request is its own group. */
function groupCounts(requests: readonly GatewayRequest[]): readonly (readonly GatewayRequest[])[] {
  const groups: GatewayRequest[][] = []
  for (const request of requests) {
    const last = groups.at(-1)
    const isMore =
      last !== undefined &&
      isOfCounts(last) &&
      isOfCounts([request]) &&
      last[0]?.proxiedSession === request.proxiedSession
    if (isMore) last.push(request)
    else groups.push([request])
  }
  return groups
}

function isOfCounts(group: readonly GatewayRequest[]): boolean {
  return group.every(
    ({ route, outcome, problem, fallback }) =>
      route === "count" && outcome === "answered" && problem === null && fallback === null,
  )
}

/** Hosts send dozens of token-count requests at once; they cost nothing. */
function countsText(group: readonly GatewayRequest[]): string {
  const first = clockText(group[0]?.at ?? 0)
  const last = clockText(group.at(-1)?.at ?? 0)
  const when = first === last ? first : `${first} to ${last}`
  return `${String(group[0]?.seq ?? "").padStart(3)}  ${plural(group.length, "count")}, ${when}`
}

function clockText(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

/**
 * Hosts send side requests, such as one for a title: without tools, in a session whose other
 * requests have tools.
 */
function asidesAmong(requests: readonly GatewayRequest[]): (request: GatewayRequest) => boolean {
  const own = requests.filter((it) => it.agent === null)
  const withTools = new Set(own.filter(hasTools).map((it) => it.session))
  return (request) =>
    request.agent === null &&
    request.route !== "count" &&
    request.route !== "other" &&
    !hasTools(request) &&
    withTools.has(request.session)
}

function hasTools({ kinds }: GatewayRequest): boolean {
  return kinds.some((it) => it.kind === "tools")
}

const MOST_NAMED = 2

/** Most informative kinds first; kinds not listed come last. */
const TELLING: readonly WireKind[] = [
  "instructions",
  "memory",
  "result",
  "call",
  "user",
  "skill",
  "image",
  "hook",
  "assistant",
  "reminder",
  "tool",
  "server",
  "agent",
  "style",
  "environment",
  "thinking",
  "system",
  "prompt",
]

function newsText({ added }: Pick<GatewayRequest, "added">): string {
  if (added.length === 0) return ""
  const byKind = Map.groupBy(added, (it) => (isFile(it) ? "file" : it.kind))
  const groups = [...byKind].toSorted(([a], [b]) => rankOf(a) - rankOf(b))
  const texts = groups.flatMap(([, items]) => groupText(items))
  const tokens = added.reduce((sum, it) => sum + it.tokens, 0)
  return `+${formatCount(tokens)}: ${texts.join(", ")}`
}

function isFile({ kind, context }: WireItem): boolean {
  return kind === "result" && context === "files"
}

function rankOf(group: WireKind | "file"): number {
  if (group === "file") return -1
  const rank = TELLING.indexOf(group)
  return rank === -1 ? TELLING.length : rank
}

function groupText(items: readonly WireItem[]): readonly string[] {
  const kind = items[0]?.kind ?? "other"
  const hasReasons = items.some((it) => it.why !== undefined)
  if (items.length <= MOST_NAMED) return items.map(itemText)
  if (!hasReasons) return [`${items.length} × ${kind}`]
  const named = items.slice(0, MOST_NAMED).map(itemText)
  return [...named, `${items.length - MOST_NAMED} more × ${kind}`]
}

function itemText({ kind, name, why }: WireItem): string {
  const called = name === kind ? kind : `${kind} ${rowText(shortName(kind, name))}`
  return why === undefined ? called : `${called} (${rowText(why)})`
}

function shortName(kind: WireKind, name: string): string {
  const isPath = (kind === "instructions" || kind === "memory") && name.includes("/")
  return isPath ? name.split("/").slice(-2).join("/") : name
}
