import type {
  Capture,
  CaptureChange,
  CaptureDiff,
  CaptureSettings,
  EffectiveSetting,
  ManifestItem,
  ManifestNote,
  McpServerLine,
  SearchedPath,
} from "../../contract.ts"
import { plural } from "../../contract.ts"
import { searchedLine, shortener } from "./list/lines.ts"
import { sentenceCase } from "./words.ts"

export type HeadingLine = {
  readonly kind: "heading"
  readonly key: string
  readonly name: string
  readonly count: number
  readonly sum?: string
}

export type FoundLine = {
  readonly kind: "found"
  readonly key: string
  readonly searched: SearchedPath
  readonly label: string
  readonly item: ManifestItem | undefined
}

export function foundLines({ manifest }: Pick<Capture, "manifest">): readonly FoundLine[] {
  const shorten = shortener(manifest)
  const itemByPath = new Map(manifest.items.map((it) => [it.path, it]))
  return manifest.searched.map((searched): FoundLine => {
    const { key, label } = searchedLine(searched, shorten)
    return { kind: "found", key, searched, label, item: itemByPath.get(searched.path) }
  })
}

export type SettingsLine =
  | HeadingLine
  | { readonly kind: "setting"; readonly key: string; readonly setting: EffectiveSetting }
  | { readonly kind: "server"; readonly key: string; readonly server: McpServerLine }
  | {
      readonly kind: "layer"
      readonly key: string
      readonly layer: CaptureSettings["layers"][number]
    }

export function settingsLines(effective: CaptureSettings): readonly SettingsLine[] {
  const { settings, mcpServers, layers } = effective
  return [
    ...under("Effective settings", settings, (setting) => ({
      kind: "setting" as const,
      key: `setting:${setting.key}`,
      setting,
    })),
    ...under("MCP servers", mcpServers, (server) => ({
      kind: "server" as const,
      key: `server:${server.scope} ${server.name}`,
      server,
    })),
    ...under("Files, highest precedence first", layers, (layer) => ({
      kind: "layer" as const,
      key: `layer:${layer.layer} ${layer.path}`,
      layer,
    })),
  ]
}

export type BiggestLine =
  | HeadingLine
  | {
      readonly kind: "big"
      readonly key: string
      readonly label: string
      readonly tokens: number
      readonly item: ManifestItem | undefined
    }
  | {
      readonly kind: "duplicate"
      readonly key: string
      readonly duplicate: Capture["budget"]["duplicates"][number]
    }
  | {
      readonly kind: "note"
      readonly key: string
      readonly note: ManifestNote
      readonly place: string
    }
  | {
      readonly kind: "category"
      readonly key: string
      readonly name: string
      readonly tokens: number
      readonly source: string
    }

export function biggestLines({ budget, manifest, observation }: Capture): readonly BiggestLine[] {
  const itemByPath = new Map(manifest.items.map((it) => [it.path, it]))
  const repeated = budget.duplicates.reduce((sum, it) => sum + it.tokens, 0)
  const shorten = shortener(manifest)
  const notes = Map.groupBy(manifest.notes, (it) => it.code)
  const source = observation?.by === "wire" ? "gateway" : "host"
  return [
    ...under("Largest", budget.biggest, ({ path, label, tokens }) => ({
      kind: "big" as const,
      key: `big:${path}`,
      label,
      tokens,
      item: itemByPath.get(path),
    })),
    ...under(
      { name: "Duplicates", sum: `${plural(repeated, "token")} repeated` },
      budget.duplicates,
      (duplicate, i) => ({ kind: "duplicate" as const, key: `duplicate:${i}`, duplicate }),
    ),
    ...[...notes].flatMap(([code, ofCode]) =>
      under(sentenceCase(code), ofCode, (note, i) => ({
        kind: "note" as const,
        key: `note:${code} ${i}`,
        note,
        place: placeOf(note, shorten),
      })),
    ),
    ...under(
      source === "host" ? "Host report" : "Gateway report",
      observation?.categories ?? [],
      ({ name, tokens }, i) => ({
        kind: "category" as const,
        key: `category:${i} ${name}`,
        name,
        tokens,
        source,
      }),
    ),
  ]
}

function placeOf({ path, line }: ManifestNote, shorten: (path: string) => string): string {
  if (path === undefined) return ""
  return line === undefined ? shorten(path) : `${shorten(path)}:${line}`
}

export type ChangeLine =
  | HeadingLine
  | { readonly kind: "change"; readonly key: string; readonly change: CaptureChange }

const CHANGES = ["added", "removed", "changed", "moved"] as const

export function changeLines({ changes }: CaptureDiff): readonly ChangeLine[] {
  return CHANGES.flatMap((kind) =>
    under(
      sentenceCase(kind),
      changes.filter((it) => it.change === kind),
      (change) => ({ kind: "change" as const, key: `change:${change.path}`, change }),
    ),
  )
}

function under<Thing, Line>(
  head: string | { readonly name: string; readonly sum: string },
  rows: readonly Thing[],
  lineOf: (thing: Thing, index: number) => Line,
): readonly (HeadingLine | Line)[] {
  if (rows.length === 0) return []
  const words = typeof head === "string" ? { name: head } : head
  return [
    { kind: "heading", key: `heading:${words.name}`, ...words, count: rows.length },
    ...rows.map(lineOf),
  ]
}
