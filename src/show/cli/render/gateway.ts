import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  type GatewayCarry,
  type GatewayList,
  type GatewayRequest,
  type GatewayShow,
  type GatewayTotals,
  plural,
  type TokenUsage,
} from "#ground/contract"
import { layoutBar } from "#ground/tokens"
import { BLOCKS } from "../bar.ts"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine } from "./lines.ts"

/** Requests that are listed, the newest: a screenful and a little. */
const MOST_REQUESTS = 60

const FIRST_STEP =
  "`qm gateway run -- claude` or `qm run --gateway record` sends a host's requests through it."

export function renderGatewayList({ carries }: GatewayList, screen: Screen): string {
  const { paint, width } = screen
  if (carries.length === 0) {
    return paint.muted(`Nothing went through the gateway here yet.\n${FIRST_STEP}`)
  }
  const rows = carries.map((it) => [
    it.id,
    sayState(it, screen),
    it.mode,
    `${plural(it.requests, "request")}${it.folds === 0 ? "" : `, ${formatExact(it.folds)} folded`}`,
    paint.muted(sayTime(it.startedAt)),
    oneLine(it.run === null ? it.title : `${it.title} ${it.run}`, Math.max(16, width - 84)),
  ])
  return [table(rows), "", paint.muted("`qm gateway show <id>` shows the requests.")].join("\n")
}

function sayState({ isAlive, endedAt }: GatewayCarry, { paint }: Screen): string {
  if (endedAt !== null) return paint.muted("○ ended")
  return isAlive ? paint.accent("● open") : paint.warn("◌ lost")
}

/** The sums, and then a row a request: what it cost, what it held, what was new. */
export function renderGatewayShow(shown: GatewayShow, screen: Screen): string {
  const { paint } = screen
  const { carries, requests, totals } = shown
  const head = [
    ...sayTotals(totals, screen),
    "",
    ...carries.flatMap((it) => aboutCarry(it, screen)),
  ]
  if (requests.length === 0) return [...head, "", paint.muted("No request is kept.")].join("\n")
  const newest = requests.slice(-MOST_REQUESTS)
  const before = shown.earlier + requests.length - newest.length
  const rest = `${plural(before, "earlier request")} not shown; --limit and --json have more`
  return [
    ...head,
    "",
    ...waterfall(newest, { screen, isOfSeveral: carries.length > 1 }),
    ...(before === 0 ? [] : ["", paint.muted(rest)]),
  ].join("\n")
}

function sayTotals(totals: GatewayTotals, { paint }: Screen): readonly string[] {
  const { usage, requests, unknownUsage, costUsd, savedTokens, savedBytes, cacheShare } = totals
  const share = cacheShare === null ? "" : ` (${(cacheShare * 100).toFixed(1)} %)`
  const cost = costUsd === null ? "" : `, $${costUsd.toFixed(4)}`
  const unknown =
    unknownUsage === 0 ? "" : paint.muted(`  of ${formatExact(unknownUsage)} it is not known`)
  const saved = `${paint.bold(formatExact(savedTokens))} tokens left out by folding, ${formatBytes(savedBytes)}`
  return [
    `${paint.bold(plural(requests, "request"))}${cost}${unknown}`,
    `${formatExact(usage.input)} in, ${formatExact(usage.cacheRead)} read from cache${share}, ` +
      `${formatExact(usage.cacheWrite)} written to it, ${formatExact(usage.output)} out`,
    ...(savedBytes === 0 ? [] : [saved]),
  ]
}

function aboutCarry(carry: GatewayCarry, screen: Screen): readonly string[] {
  const { paint, width } = screen
  const { id, title, mode, upstream, startedAt, hasContent, latchedOff } = carry
  const kept = hasContent ? ", texts kept" : ""
  const about = `${mode} to ${oneLine(upstream, 40)}${kept}, since ${sayTime(startedAt)}`
  const latched = `  Nothing more is folded: ${oneLine(latchedOff ?? "", width - 28)}`
  return [
    `${sayState(carry, screen)}  ${paint.bold(oneLine(title, 40))}  ${id}`,
    paint.muted(`  ${about}`),
    ...(latchedOff === null ? [] : [paint.warn(latched)]),
  ]
}

type Fall = { readonly screen: Screen; readonly isOfSeveral: boolean }

/** Rows stand in columns over all carries; where another one begins it is said. */
function waterfall(
  requests: readonly GatewayRequest[],
  { screen, isOfSeveral }: Fall,
): readonly string[] {
  const { paint } = screen
  const most = Math.max(1, ...requests.map((it) => it.tokens))
  const [heading = "", ...rows] = table([
    HEADINGS,
    ...aligned(requests.map((it) => requestRow(it, most, screen))),
  ]).split("\n")
  const lines = requests.flatMap((request, at) => {
    const isFirst = requests[at - 1]?.carry !== request.carry
    const whose = isOfSeveral && isFirst ? [paint.muted(request.carry)] : []
    return [...whose, rows[at] ?? "", ...aboutRequest(request, screen)]
  })
  return [paint.muted(heading), ...lines]
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
    new Date(at).toISOString().slice(11, 19),
    oneLine(sayModel(request), Math.min(24, screen.width - 72)),
    ...FIGURES.map((it) => (usage === null ? "–" : formatExact(usage[it]))),
    kindsBar(request, most, screen),
    outcome === "answered" ? waited : screen.paint.warn(sayOutcome(request)),
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
export function sayModel({ route, model, agent }: GatewayRequest): string {
  const isTurn = route !== "count" && route !== "other"
  const what = isTurn ? (model ?? route) : route
  return agent === null ? what : `↳ ${what}`
}

export function sayOutcome({ outcome, status }: GatewayRequest): string {
  return status === null || outcome !== "refused" ? outcome : `${outcome} ${status}`
}

const BAR_CELLS = 8

/** As long as what was sent, against the largest of those shown. */
function kindsBar({ kinds }: GatewayRequest, most: number, { paint }: Screen): string {
  const layout = layoutBar(kinds, { width: BAR_CELLS, scale: most })
  const drawn = layout.cells.map((it) => paint.kind(it.kind, BLOCKS[it.kind].repeat(it.cells)))
  return `${drawn.join("")}${paint.muted("·".repeat(layout.free))}`
}

/** What was new, what was left out, and what went otherwise than asked for. */
function aboutRequest(request: GatewayRequest, { paint, width }: Screen): readonly string[] {
  const { folded, gone, fallback, problem } = request
  const savedTokens = folded.reduce((sum, it) => sum + it.tokens, 0)
  const saved = `−${formatExact(savedTokens)} tokens folded`
  const changes = [sayAdded(request), gone === 0 ? "" : `${formatExact(gone)} gone`]
  const said = changes.filter((it) => it !== "").join(", ")
  const odd = [
    ...(fallback === null ? [] : [`sent whole: ${fallback}`]),
    ...(problem === null ? [] : [`not recorded whole: ${problem}`]),
  ]
  return [
    ...(folded.length === 0 ? [] : [`     ${paint.ok(saved)}`]),
    ...(said === "" ? [] : [paint.muted(`     ${oneLine(said, width - 5)}`)]),
    ...odd.map((it) => paint.warn(`     ${oneLine(it, width - 5)}`)),
  ]
}

/** A few are named, many of a kind are counted. */
const MOST_NAMED = 2

function sayAdded({ added }: GatewayRequest): string {
  if (added.length === 0) return ""
  const byKind = Map.groupBy(added, (it) => it.kind)
  const said = [...byKind].flatMap(([kind, items]) => {
    if (items.length > MOST_NAMED) return [`${items.length} × ${kind}`]
    return items.map(({ name }) => (name === kind ? kind : `${kind} ${oneLine(name, 40)}`))
  })
  const tokens = added.reduce((sum, it) => sum + it.tokens, 0)
  return `+${formatCount(tokens)}: ${said.join(", ")}`
}
