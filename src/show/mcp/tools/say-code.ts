import { formatExact, plural } from "#ground/base"
import {
  type FoundFile,
  type MapEntry,
  type MapLink,
  type MapShow,
  type MapSymbol,
  type MapTree,
  type SearchFind,
} from "#ground/contract"
import { LONGEST_LINE_CHARACTERS, MOST_SYMBOLS_OF_A_FILE } from "../limits.ts"

/** What was found, best first, with the lines to look at. */
export function sayFiles({ files, signals }: SearchFind): string {
  if (files.length === 0) return "Nothing in this repository matches."
  return [...files.map(sayFoundFile), `Ordered by ${signals.join(", ")}.`].join("\n")
}

function sayFoundFile({ path, score, reasons, symbols }: FoundFile): string {
  const best = symbols.slice(0, MOST_SYMBOLS_OF_A_FILE)
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`
  return [`${path} ${score.toFixed(2)}${why}`, ...best.map(symbolLine)].join("\n")
}

/** A folder, folders first. */
export function sayTree({ folder, entries, total }: MapTree): string {
  const more = total - entries.length
  return [
    `${folder === "" ? "The root" : folder} has ${plural(total, "entry", "entries")}`,
    ...entries.map(entryLine),
    ...(more > 0 ? [`and ${formatExact(more)} more`] : []),
  ].join("\n")
}

function entryLine(it: MapEntry): string {
  const size = `${plural(it.symbols, "symbol")}, ${formatExact(it.tokens)} tokens`
  return it.kind === "folder"
    ? `${it.name}/ ${plural(it.files, "file")}, ${size}`
    : `${it.name} ${size}`
}

export function sayShown(shown: MapShow): string {
  return shown.kind === "file" ? sayFile(shown) : saySymbol(shown)
}

function sayFile(file: Extract<MapShow, { kind: "file" }>): string {
  const facts = `${file.language ?? file.fileClass}, ${plural(file.lines, "line")}, ${formatExact(file.tokens)} tokens`
  const imports = file.imports.map(({ specifier, paths }) =>
    paths.length === 0 ? specifier : paths.join(", "),
  )
  return [
    `${file.path} (${facts})`,
    ...file.problems,
    ...section("Symbols", file.symbols.map(symbolLine)),
    ...section("Imports", imports.map(indented)),
    ...section("Imported by", file.importedBy.map(indented)),
    ...section(
      "Often changed with",
      file.changedWith.map(({ path, times }) => indented(`${path}, ${plural(times, "time")}`)),
    ),
  ].join("\n")
}

function saySymbol(shown: Extract<MapShow, { kind: "symbol" }>): string {
  const { symbol } = shown
  return [
    `${symbol.kind} ${symbol.name} in ${symbol.path}:${symbol.fromLine}-${symbol.toLine}`,
    cut(symbol.signature),
    ...(symbol.doc === undefined ? [] : [symbol.doc]),
    ...section("Callers", shown.callers.map(linkLine)),
    ...section("Calls", shown.called.map(linkLine)),
    ...section(
      "Also of this name",
      shown.others.map((it) => indented(`${it.kind} in ${it.path}:${it.fromLine}`)),
    ),
    ...(shown.isCut ? ["There are more than are listed."] : []),
  ].join("\n")
}

function linkLine({ symbol, line, hops, confidence }: MapLink): string {
  const sure = confidence === "ambiguous" ? ", one of several of this name" : ""
  return indented(`${symbol.name} ${symbol.path}:${line}${hops === 2 ? ", two hops" : ""}${sure}`)
}

function symbolLine(it: MapSymbol): string {
  return indented(`${it.fromLine}: ${cut(it.signature)}`)
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}

function indented(line: string): string {
  return `  ${line}`
}

function cut(signature: string): string {
  const line = signature.replaceAll(/\s+/g, " ")
  return line.length <= LONGEST_LINE_CHARACTERS
    ? line
    : `${line.slice(0, LONGEST_LINE_CHARACTERS - 1)}…`
}
