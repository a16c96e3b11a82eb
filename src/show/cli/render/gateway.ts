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
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { BLOCKS } from "./bar.ts"
import { rowText, timeText } from "./lines.ts"

/** Rows that are listed, the newest: a screenful and a little. */
const MOST_ROWS = 60

const FIRST_STEP =
  "`qm gateway run -- claude` or `qm run --gateway record` sends a host's requests through it."

export function renderGatewayList({ carries }: GatewayList, screen: Screen): string {
  const { paint } = screen
  if (carries.length === 0) {
    return paint.muted(`Nothing went through the gateway here yet.\n${FIRST_STEP}`)
  }
  const lines = sessionLines(carries, screen)
  return [...lines, "", paint.muted("`qm gateway show <id>` shows the requests.")].join("\n")
}

/** Room for a title that still tells one carry from another. */
const SHORTEST_TITLE_CELLS = 24
const STATE_CELLS = 7
const TIME_CELLS = 16

/** A row each where the screen is wide enough, else a row and a line below it. */
function sessionLines(carries: readonly ProxiedSession[], screen: Screen): readonly string[] {
  const { paint, width } = screen
  const titles = carries.map((it) => (it.run === null ? it.title : `${it.title} ${it.run}`))
  const ids = carries.map((it) => it.id)
  const start = widest(ids) + STATE_CELLS + widest(carries.map((it) => it.mode)) + 6
  const whole = start + widest(carries.map(requestsText)) + 2 + TIME_CELLS + 2
  const room = width - whole
  const isWide = room >= Math.min(SHORTEST_TITLE_CELLS, widest(titles))
  const heads = carries.map((it) => [it.id, describeState(it, screen), it.mode])
  const rows = carries.map((it, at) => {
    const told = isWide ? [requestsText(it), paint.muted(timeText(it.startedAt))] : []
    return [...(heads[at] ?? []), ...told, rowText(titles[at] ?? "", isWide ? room : width - start)]
  })
  const lines = table(rows).split("\n")
  if (isWide) return lines
  return carries.flatMap((it, at) => [
    lines[at] ?? "",
    paint.muted(`  ${requestsText(it)}, since ${timeText(it.startedAt)}`),
  ])
}

function widest(words: readonly string[]): number {
  return Math.max(0, ...words.map((it) => it.length))
}

function requestsText({ requests, folds }: ProxiedSession): string {
  const said = plural(requests, "request")
  return folds === 0 ? said : `${said}, ${formatExact(folds)} folded`
}

function describeState({ isAlive, endedAt }: ProxiedSession, { paint }: Screen): string {
  if (endedAt !== null) return paint.muted("○ ended")
  return isAlive ? paint.accent("● open") : paint.warn("◌ lost")
}

/** The sums, and then a row a request: what it cost, what it held, what was new. */
export function renderGatewayShow(shown: GatewayShow, screen: Screen): string {
  const { paint } = screen
  const { carries, requests, totals } = shown
  const head = [
    ...totalsText(totals, screen),
    "",
    ...carries.flatMap((it) => aboutSession(it, screen)),
  ]
  if (requests.length === 0) return [...head, "", paint.muted("No request is kept.")].join("\n")
  const newest = groupCounts(requests).slice(-MOST_ROWS)
  const listed = newest.reduce((sum, it) => sum + it.length, 0)
  const before = shown.earlier + requests.length - listed
  const rest = `${plural(before, "earlier request")} not shown; --limit and --json have more`
  return [
    ...head,
    "",
    ...waterfall(newest, { screen, isOfSeveral: carries.length > 1 }),
    ...(before === 0 ? [] : ["", paint.muted(rest)]),
  ].join("\n")
}

function totalsText(totals: GatewayTotals, { paint }: Screen): readonly string[] {
  const { usage, requests, unknownUsage, costUsd, savedTokens, savedBytes, cacheShare } = totals
  const share = cacheShare === null ? "" : ` (${(cacheShare * 100).toFixed(1)} %)`
  const cost = costUsd === null ? "" : `, $${costUsd.toFixed(4)}`
  const unknown =
    unknownUsage === 0 ? "" : paint.muted(`  usage unknown for ${formatExact(unknownUsage)}`)
  const saved = `${paint.bold(formatExact(savedTokens))} tokens left out by folding, ${formatBytes(savedBytes)}`
  return [
    `${paint.bold(plural(requests, "request"))}${cost}${unknown}`,
    `${formatExact(usage.input)} in, ${formatExact(usage.cacheRead)} read from cache${share}, ` +
      `${formatExact(usage.cacheWrite)} written to it, ${formatExact(usage.output)} out`,
    ...(savedBytes === 0 ? [] : [saved]),
  ]
}

function aboutSession(carry: ProxiedSession, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const { id, title, mode, upstream, startedAt, hasContent, latchedOff } = carry
  const kept = hasContent ? ", texts kept" : ""
  const about = `${mode} to ${rowText(upstream, 40)}${kept}, since ${timeText(startedAt)}`
  const latched = `  Nothing more is folded: ${rowText(latchedOff ?? "", width - 28)}`
  return [
    `${describeState(carry, screen)}  ${paint.bold(rowText(title, 40))}  ${id}`,
    paint.muted(`  ${rowText(about, width - 2)}`),
    ...(latchedOff === null ? [] : [paint.warn(latched)]),
  ]
}

type WaterfallOptions = { readonly screen: Screen; readonly isOfSeveral: boolean }

/** Rows stand in columns over all carries; where another one begins it is said. */
function waterfall(
  groups: readonly (readonly GatewayRequest[])[],
  { screen, isOfSeveral }: WaterfallOptions,
): readonly string[] {
  const { paint } = screen
  const turns = groups.flatMap((it) => (isOfCounts(it) ? [] : it))
  const most = Math.max(1, ...turns.map((it) => it.tokens))
  const [heading = "", ...rows] = table([
    HEADINGS,
    ...aligned(turns.map((it) => requestRow(it, most, screen))),
  ]).split("\n")
  const rowOf = new Map(turns.map((it, at) => [it, rows[at] ?? ""]))
  const isAside = asidesAmong(turns)
  const lines = groups.flatMap((group, at) => {
    const [request] = group
    if (request === undefined) return []
    const isFirst = groups[at - 1]?.[0]?.carry !== request.carry
    const whose = isOfSeveral && isFirst ? [paint.muted(request.carry)] : []
    if (isOfCounts(group)) return [...whose, paint.muted(countsText(group))]
    const about = aboutRequest(request, { screen, isAside: isAside(request) })
    return [...whose, rowOf.get(request) ?? "", ...about]
  })
  return turns.length === 0 ? lines : [paint.muted(heading), ...lines]
}

const HEADINGS = ["  #", "time", "model", "in", "cached", "written", "out", "held", "first byte"]

/** Where figures stand, by their place in a row. */
const FIRST_FIGURE = 3
const LAST_FIGURE = 6

function requestRow(request: GatewayRequest, most: number, screen: Screen): readonly string[] {
  const { seq, at, usage, outcome, firstByteMs } = request
  const waited = firstByteMs === null ? "" : formatDuration(firstByteMs)
  return [
    String(seq).padStart(3),
    clockText(at),
    rowText(modelText(request), Math.min(24, screen.width - 72)),
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

/** Of a request that is no turn of the conversation, what it is. */
export function modelText({ route, model, agent }: GatewayRequest): string {
  const isTurn = route !== "count" && route !== "other"
  const what = isTurn ? (model ?? route) : route
  return agent === null ? what : `↳ ${what}`
}

export function outcomeText({ outcome, status }: GatewayRequest): string {
  return status === null || outcome !== "refused" ? outcome : `${outcome} ${status}`
}

const BAR_CELLS = 8

/** As long as what was sent, against the largest of those shown. */
function kindsBar({ kinds }: GatewayRequest, most: number, { paint }: Screen): string {
  const layout = layoutBar(kinds, { width: BAR_CELLS, scale: most })
  const drawn = layout.cells.map((it) => paint.kind(it.kind, BLOCKS[it.kind].repeat(it.cells)))
  return `${drawn.join("")}${paint.muted("·".repeat(layout.free))}`
}

type RowOptions = { readonly screen: Screen; readonly isAside: boolean }

/** What was new, what was left out, and what went otherwise than asked for. */
function aboutRequest(request: GatewayRequest, { screen, isAside }: RowOptions): readonly string[] {
  const { paint, width } = screen
  const { folded, gone, fallback, problem } = request
  const savedTokens = folded.reduce((sum, it) => sum + it.tokens, 0)
  const saved = `−${formatExact(savedTokens)} tokens folded`
  const changes = [
    isAside ? "beside the conversation" : "",
    newsText(request),
    gone === 0 ? "" : `${formatExact(gone)} gone`,
  ]
  const said = changes.filter((it) => it !== "").join(", ")
  const odd = [
    ...(fallback === null ? [] : [`sent whole: ${fallback}`]),
    ...(problem === null ? [] : [`not recorded whole: ${problem}`]),
  ]
  return [
    ...(folded.length === 0 ? [] : [`     ${paint.ok(saved)}`]),
    ...(said === "" ? [] : [paint.muted(`     ${rowText(said, width - 5)}`)]),
    ...odd.map((it) => paint.warn(`     ${rowText(it, width - 5)}`)),
  ]
}

/** Neighbours that only count are one group; every other request is its own. */
function groupCounts(requests: readonly GatewayRequest[]): readonly (readonly GatewayRequest[])[] {
  const groups: GatewayRequest[][] = []
  for (const request of requests) {
    const last = groups.at(-1)
    const isMore =
      last !== undefined &&
      isOfCounts(last) &&
      isOfCounts([request]) &&
      last[0]?.carry === request.carry
    if (isMore) last.push(request)
    else groups.push([request])
  }
  return groups
}

/** Those that went as they should: any other is worth a row. */
function isOfCounts(group: readonly GatewayRequest[]): boolean {
  return group.every(
    ({ route, outcome, problem, fallback }) =>
      route === "count" && outcome === "answered" && problem === null && fallback === null,
  )
}

/** Hosts count each large file, by the dozen at once, and it costs nothing. */
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
 * Hosts ask small things beside a conversation, a title for instance: without tools, in a session
 * whose other requests have them.
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

/** A few are named, many of a kind are counted. */
const MOST_NAMED = 2

/** What says most about a turn first; whatever is not here says least. */
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

/** What was new in a request and why it came, the most telling first; empty for nothing. */
function newsText({ added }: Pick<GatewayRequest, "added">): string {
  if (added.length === 0) return ""
  const byKind = Map.groupBy(added, (it) => (isFile(it) ? "file" : it.kind))
  const groups = [...byKind].toSorted(([a], [b]) => rankOf(a) - rankOf(b))
  const said = groups.flatMap(([, items]) => groupText(items))
  const tokens = added.reduce((sum, it) => sum + it.tokens, 0)
  return `+${formatCount(tokens)}: ${said.join(", ")}`
}

function isFile({ kind, context }: WireItem): boolean {
  return kind === "result" && context === "files"
}

function rankOf(group: WireKind | "file"): number {
  if (group === "file") return -1
  const rank = TELLING.indexOf(group)
  return rank === -1 ? TELLING.length : rank
}

/** Where the reasons differ the first are named, else their number says it. */
function groupText(items: readonly WireItem[]): readonly string[] {
  const kind = items[0]?.kind ?? "other"
  const isTold = items.some((it) => it.why !== undefined)
  if (items.length <= MOST_NAMED) return items.map(itemText)
  if (!isTold) return [`${items.length} × ${kind}`]
  const named = items.slice(0, MOST_NAMED).map(itemText)
  return [...named, `${items.length - MOST_NAMED} more × ${kind}`]
}

function itemText({ kind, name, why }: WireItem): string {
  const called = name === kind ? kind : `${kind} ${rowText(shortName(kind, name), 40)}`
  return why === undefined ? called : `${called} (${rowText(why, 48)})`
}

/** Of a path its end: that tells files apart. */
function shortName(kind: WireKind, name: string): string {
  const isPath = (kind === "instructions" || kind === "memory") && name.includes("/")
  return isPath ? name.split("/").slice(-2).join("/") : name
}
