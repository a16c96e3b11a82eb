import { formatWhen } from "../../base/format.ts"
import {
  formatCount,
  formatDuration,
  type LinkConfidence,
  type MapScan,
  type MapSymbol,
  type MapTree,
  plural,
} from "../../contract.ts"

/** The argument of `map.show`: a symbol by file, parent and name. */
export function placeOf({ path, parent, name, kind, signature }: MapSymbol): string {
  // Code outside any symbol belongs to the file.
  if (kind === "module" && signature === path) return path
  return parent === undefined ? `${path}#${name}` : `${path}#${parent}.${name}`
}

/** Without thousands separators, so that an editor accepts the line numbers. */
export function formatLines({ fromLine, toLine }: Pick<MapSymbol, "fromLine" | "toLine">): string {
  return fromLine === toLine ? `line ${fromLine}` : `lines ${fromLine} to ${toLine}`
}

export function describeLocation({ path, fromLine, kind }: MapSymbol): string {
  return `${kind}, ${path}:${fromLine}`
}

export const CONFIDENCE: Readonly<Record<LinkConfidence, string>> = {
  import: "by its import",
  package: "same package",
  unique: "the only one with this name",
  ambiguous: "one of several with this name",
}

export function describeScan({ scan }: MapScan): string {
  const took = formatDuration(Math.round(scan.durationSeconds * 1_000))
  const what = `${plural(scan.filesScanned, "file")}, ${plural(scan.symbolsIndexed, "symbol")}`
  const changed =
    scan.filesChanged === 0 ? "no changes" : `${plural(scan.filesChanged, "file")} changed`
  return `${what} in ${took}, ${changed}`
}

export function describeTree({ state, entries }: MapTree, now: number): string {
  if (state === null) return ""
  const tokens = entries.reduce((sum, it) => sum + it.tokens, 0)
  const commit = state.gitSha === null ? "" : `, at ${state.gitSha.slice(0, 7)}`
  return `${plural(state.files, "file")}, ${formatCount(tokens)} tokens, scanned ${formatWhen(state.scannedAt, now)}${commit}`
}
