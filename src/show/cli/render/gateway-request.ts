import { formatDuration, formatExact, plural } from "#ground/base"
import type { GatewayManifest, GatewayTexts, gatewayOperations, WireItem } from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { modelText, outcomeText, renderGatewayList, renderGatewayShow } from "./gateway.ts"
import { renderGatewayCache } from "./gateway-cache.ts"
import { renderGatewayFolded, renderGatewayMasks } from "./gateway-masks.ts"
import { indentedTable, quoted, rowText, section, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** A long conversation has thousands of parts. */
const MOST_ITEMS = 100
const MOST_HEADERS = 40

export function renderGatewayRequest(manifest: GatewayManifest, screen: Screen): string {
  const { paint, width } = screen
  const { request, items, headers } = manifest
  const { proxiedSession, seq, at, tokens, durationMs, problem } = request
  const counted = `${paint.bold(formatExact(tokens))} tokens (counted by qm)`
  const exact = exactText(manifest)
  const added = new Set(request.added.map(keyOf))
  const most = nameCells(items, width)
  const rows = items.map((it, place) =>
    itemRow(it, { place, isNew: added.has(keyOf(it)), most, screen }),
  )
  const headerRows = headers.map((it) => [rowText(it.name), rowText(it.value)])
  return [
    `${counted}, ${exact}`,
    paint.muted(
      `${proxiedSession} ${seq}, ${rowText(modelText(request))}, ${timeText(at)}, ` +
        `${outcomeText(request)} in ${formatDuration(durationMs)}`,
    ),
    ...(problem === null ? [] : [paint.warn(rowText(problem, width))]),
    ...section("Kinds", kindRows(items), {
      screen,
      most: MOST_ITEMS,
      headings: ["Kind", "Tokens", "Parts"],
    }),
    ...section("Parts", rows, {
      screen,
      most: MOST_ITEMS,
      headings: ["Part", "", "Kind", "Tokens".padStart(8), "Name"],
    }),
    ...section("Headers", headerRows, {
      screen,
      most: MOST_HEADERS,
      headings: ["Header", "Value"],
    }),
  ].join("\n")
}

function exactText({ request: { usage, route } }: GatewayManifest): string {
  if (route === "count") return "a token count, which costs nothing"
  if (usage === null) return "provider's count unknown"
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  return `${formatExact(input)} counted by the provider`
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
    plural(it.count, "part"),
  ])
}

type ItemLayout = {
  readonly place: number
  readonly isNew: boolean
  readonly most: number
  readonly screen: Screen
}

const CELLS_BEFORE_NAME = 35

/** The longest name; with notes, at most half of the remaining width. */
function nameCells(items: readonly WireItem[], width: number): number {
  const longest = Math.max(8, ...items.map((it) => (it.path ?? it.name).length))
  const hasNotes = items.some((it) => noteOf(it) !== "")
  const room = width - CELLS_BEFORE_NAME
  return Math.min(longest, hasNotes ? Math.floor((room - 2) / 2) : room)
}

function itemRow(item: WireItem, { place, isNew, most, screen }: ItemLayout): readonly string[] {
  const { paint, width } = screen
  const note = noteOf(item)
  const paintNote = item.isConfirmed === false ? paint.warn : paint.muted
  return [
    String(place).padStart(4),
    isNew ? paint.accent("+") : "",
    item.kind,
    formatExact(item.tokens).padStart(8),
    nameText(item, most),
    ...(note === "" ? [] : [paintNote(rowText(note, width - CELLS_BEFORE_NAME - most - 2))]),
  ]
}

/** Shortens a path at its start, because its end tells files apart. */
function nameText({ path, name }: WireItem, most: number): string {
  const line = rowText(path ?? name)
  const characters = Array.from(line)
  const isPath = path !== undefined && characters.length > most
  return isPath ? `…${characters.slice(1 - most).join("")}` : rowText(line, most)
}

function noteOf({ isConfirmed, isDeferred, why }: WireItem): string {
  const doubt = isConfirmed === false ? "differs from the file" : ""
  const later = isDeferred === true ? "loaded later" : ""
  return [doubt, later, why ?? ""].filter((it) => it !== "").join(", ")
}

const HOW_TO_STORE =
  "The text was not stored. Store it next time: `qm gateway run --content -- claude`."

export function renderGatewayTexts({ total, pieces }: GatewayTexts, screen: Screen): string {
  const { paint, width } = screen
  if (pieces.length === 0) {
    return paint.muted(
      total === 0 ? "No stored text of this request has these words." : "No more parts.",
    )
  }
  if (pieces.every((it) => it.text === null)) {
    return paint.muted(`${plural(total, "part")}. ${HOW_TO_STORE}`)
  }
  const blocks = pieces.map((piece) => {
    const head = `${paint.bold(`${piece.place}  ${piece.kind} ${rowText(piece.name, width - 36)}`)}  ${paint.muted(`${formatExact(piece.tokens)} tokens`)}`
    return [head, ...bodyOf(piece, screen)].join("\n")
  })
  const left = total - pieces.length
  const rest = `${plural(pieces.length, "part")} of ${formatExact(total)}; show others with --from and --limit`
  return [...blocks, ...(left === 0 ? [] : [paint.muted(rest)])].join("\n\n")
}

type Piece = GatewayTexts["pieces"][number]

/** The matching lines with their numbers, or the whole text without a query. */
function bodyOf(piece: Piece, screen: Screen): readonly string[] {
  const { paint } = screen
  const { text, isCut, lines, moreLines = 0 } = piece
  if (lines !== undefined) {
    const rows = lines.map((it) => [paint.muted(String(it.number)), it.text])
    const rest = `  and ${plural(moreLines, "more line")}; show the whole text without --query`
    return [
      indentedTable(["Line", "Text"], rows, screen),
      ...(moreLines === 0 ? [] : [paint.muted(rest)]),
    ]
  }
  if (text === null) return [paint.muted("  not stored")]
  return [quoted(text), ...(isCut ? [paint.warn("  truncated")] : [])]
}

type DeletedSession = { readonly id: string; readonly requests: number }

export function renderGatewayDeleted({ id, requests }: DeletedSession): string {
  return `Deleted ${id} with ${plural(requests, "request")}.`
}

export const gatewayRenderers: Renderers<typeof gatewayOperations> = {
  cache: renderGatewayCache,
  delete: renderGatewayDeleted,
  fold: renderGatewayFolded,
  list: renderGatewayList,
  masks: renderGatewayMasks,
  request: renderGatewayRequest,
  show: renderGatewayShow,
  texts: renderGatewayTexts,
}
