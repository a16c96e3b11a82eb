import {
  formatDuration,
  formatExact,
  type GatewayManifest,
  type GatewayTexts,
  plural,
  type WireItem,
} from "#ground/contract"
import type { Screen } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { sayModel, sayOutcome } from "./gateway.ts"
import { oneLine, quoted, section } from "./lines.ts"

/** Pieces of a request that are listed; a long conversation has thousands. */
const MOST_ITEMS = 100
const MOST_HEADERS = 40

/** What one request held: how much of each kind, then piece by piece in the order of the wire. */
export function renderGatewayRequest(manifest: GatewayManifest, screen: Screen): string {
  const { paint, width } = screen
  const { request, items, headers } = manifest
  const { carry, seq, at, tokens, durationMs, problem } = request
  const counted = `${paint.bold(formatExact(tokens))} tokens by our own count`
  const exact = sayExact(manifest)
  const added = new Set(request.added.map(keyOf))
  const rows = items.map((it, place) => itemRow(it, { place, isNew: added.has(keyOf(it)), screen }))
  const kept = headers.map((it) => [
    oneLine(it.name, 36),
    oneLine(it.value, Math.max(20, width - 44)),
  ])
  return [
    `${counted}, ${exact}`,
    paint.muted(
      `${carry} ${seq}, ${oneLine(sayModel(request), 40)}, ${sayTime(at)}, ` +
        `${sayOutcome(request)} in ${formatDuration(durationMs)}`,
    ),
    ...(problem === null ? [] : [paint.warn(oneLine(problem, width))]),
    ...section("Kinds", kindRows(items), { screen, most: MOST_ITEMS }),
    ...section("Pieces", rows, { screen, most: MOST_ITEMS }),
    ...section("Headers", kept, { screen, most: MOST_HEADERS }),
  ].join("\n")
}

function sayExact({ request: { usage } }: GatewayManifest): string {
  if (usage === null) return "the provider's own figure is not known"
  const asked = usage.input + usage.cacheRead + usage.cacheWrite
  return `${formatExact(asked)} by the provider's`
}

function keyOf({ kind, name, sha256 }: WireItem): string {
  return `${kind} ${sha256} ${name}`
}

function kindRows(items: readonly WireItem[]): readonly (readonly string[])[] {
  const byKind = [...Map.groupBy(items, (it) => it.kind)].map(([kind, own]) => ({
    kind,
    count: own.length,
    tokens: own.reduce((sum, it) => sum + it.tokens, 0),
  }))
  const rows = byKind.toSorted((a, b) => b.tokens - a.tokens)
  const widest = Math.max(0, ...rows.map((it) => formatExact(it.tokens).length))
  return rows.map((it) => [
    it.kind,
    `${formatExact(it.tokens).padStart(widest)} tokens`,
    plural(it.count, "piece"),
  ])
}

type Placed = { readonly place: number; readonly isNew: boolean; readonly screen: Screen }

function itemRow(item: WireItem, { place, isNew, screen }: Placed): readonly string[] {
  const { paint, width } = screen
  return [
    String(place).padStart(4),
    isNew ? paint.accent("+") : "",
    item.kind,
    formatExact(item.tokens).padStart(8),
    oneLine(item.path ?? item.name, Math.max(20, width - 52)),
    ...sayDoubt(item, paint),
  ]
}

function sayDoubt(item: WireItem, paint: Screen["paint"]): readonly string[] {
  if (item.isConfirmed === false) return [paint.warn("not as on the disk")]
  return item.isDeferred === true ? [paint.muted("loaded later")] : []
}

const HOW_TO_KEEP =
  "Their texts were not kept: `qm gateway run --content` or the setting gateway.content turns that on."

/** Each piece below a line of ours, indented, so that no line of it looks like one. */
export function renderGatewayTexts({ total, pieces }: GatewayTexts, screen: Screen): string {
  const { paint, width } = screen
  if (pieces.length === 0) {
    return paint.muted(
      total === 0 ? "No kept text of this request has these words." : "There are no more pieces.",
    )
  }
  if (pieces.every((it) => it.text === null)) {
    return paint.muted(`${plural(total, "piece")}. ${HOW_TO_KEEP}`)
  }
  const blocks = pieces.map((it) => {
    const head = `${paint.bold(`${it.place}  ${it.kind} ${oneLine(it.name, width - 36)}`)}  ${paint.muted(`${formatExact(it.tokens)} tokens`)}`
    const body = it.text === null ? paint.muted("  not kept") : quoted(it.text)
    return [head, body, ...(it.isCut ? [paint.warn("  cut here")] : [])].join("\n")
  })
  const left = total - pieces.length
  const rest = `${plural(pieces.length, "piece")} of ${formatExact(total)}; --from and --limit have the others`
  return [...blocks, ...(left === 0 ? [] : [paint.muted(rest)])].join("\n\n")
}

type Deleted = { readonly id: string; readonly requests: number }

export function renderGatewayDeleted({ id, requests }: Deleted): string {
  return `Deleted ${id} with ${plural(requests, "request")}.`
}
