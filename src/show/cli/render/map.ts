import { formatCount, formatDuration, formatExact, plural } from "#ground/base"
import type {
  FoundFile,
  IndexState,
  MapExport,
  MapFolder,
  MapLink,
  MapPeriod,
  MapScan,
  MapShow,
  MapSymbol,
  MapTree,
  MapTreemap,
  MapUsers,
  mapOperations,
  SearchFind,
  SkippedFile,
  searchOperations,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { indentedTable, listing, rowLimit, shareBar, truncateText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

const MOST_LISTED = 12

function renderScan(result: MapScan, screen: Screen): string {
  const { paint } = screen
  const { scan } = result
  const took = formatDuration(Math.round(scan.durationSeconds * 1_000))
  const what = [
    plural(scan.filesScanned, "file"),
    plural(scan.symbolsIndexed, "symbol"),
    plural(scan.dependenciesIndexed, "import"),
  ]
  const changed =
    scan.filesChanged === 0 ? "nothing changed" : `${plural(scan.filesChanged, "file")} changed`
  const languages = result.languages.map((row) => [
    "  ",
    row.language,
    formatExact(row.files),
    formatExact(row.symbols),
    formatCount(row.tokens),
  ])
  const headings = ["  ", "Language", "Files", "Symbols", "Tokens"]
  return [
    `${paint.bold(what.join(", "))} in ${took}; ${changed}`,
    paint.muted(describeState(result.state)),
    ...(languages.length === 0 ? [] : ["", listing(headings, languages, screen)]),
    ...skippedSection("Partly read", result.problems, result.problemsCount),
    ...skippedSection("Left out", result.skipped, result.skippedCount),
  ].join("\n")

  function skippedSection(title: string, rows: readonly SkippedFile[], count: number) {
    if (count === 0) return []
    const shown = rows.slice(0, rowLimit(MOST_LISTED, screen))
    const more = count - shown.length
    return [
      "",
      `${paint.bold(title)} ${paint.muted(String(count))}`,
      indentedTable(
        ["File", "Reason"],
        shown.map((row) => [row.path, paint.muted(row.reason)]),
        screen,
      ),
      ...(more > 0 ? [paint.muted(`  and ${formatExact(more)} more; --json lists 100`)] : []),
    ]
  }
}

function renderTree(tree: MapTree, screen: Screen): string {
  const { paint } = screen
  if (tree.state === null) return paint.muted("The repository is not scanned yet. Run `qm map`.")
  if (tree.entries.length === 0) return paint.muted("No files match.")
  const rows = tree.entries.map((it) => [
    shareBar(it.rank),
    it.kind === "folder" ? `${it.name}/` : it.name,
    it.kind === "folder" ? plural(it.files, "file") : (it.language ?? it.fileClass ?? ""),
    it.symbols === 0 ? "" : formatExact(it.symbols),
    formatCount(it.tokens),
  ])
  const list = listing(["Rank", "Name", "Kind", "Symbols", "Tokens"], rows, screen)
  const more = tree.total - tree.entries.length
  return more > 0 ? `${list}\n${paint.muted(`and ${formatExact(more)} more`)}` : list
}

function renderShow(shown: MapShow, screen: Screen): string {
  switch (shown.kind) {
    case "file":
      return renderFile(shown, screen)
    case "symbol":
      return renderSymbol(shown, screen)
    case "folder":
      return renderFolder(shown, screen)
  }
}

function renderFile(file: Extract<MapShow, { kind: "file" }>, screen: Screen): string {
  const { paint, width } = screen
  const facts = [
    file.language ?? file.fileClass,
    plural(file.lines, "line"),
    `${formatCount(file.tokens)} tokens`,
    `rank ${file.rank.toFixed(2)}`,
  ]
  const imports = file.imports.map((it) => [
    it.specifier,
    paint.muted(it.paths.length === 0 ? "outside the repository" : it.paths.join(", ")),
  ])
  const changed = file.changedWith.map((it) => [it.path, paint.muted(timesText(it.times))])
  return [
    `${paint.bold(file.path)}  ${paint.muted(facts.join(", "))}`,
    ...file.problems.map((it) => paint.warn(it)),
    ...section(`Symbols ${file.symbols.length}`, ["Line", "Symbol"], file.symbols.map(symbolRow)),
    ...section(`Imports ${file.imports.length}`, ["Import", "File"], imports),
    ...section(
      `Imported by ${file.importedBy.length}`,
      [],
      file.importedBy.map((it) => [it]),
    ),
    ...section("Changed with", ["File", "How often"], changed),
  ].join("\n")

  function section(
    title: string,
    headings: readonly string[],
    rows: readonly (readonly string[])[],
  ): readonly string[] {
    if (rows.length === 0) return []
    return ["", paint.bold(title), indentedTable(headings, rows, screen)]
  }
  function symbolRow(symbol: MapSymbol): readonly string[] {
    const indent = symbol.parent === undefined ? "" : "  "
    const room = width - 14
    return [
      paint.muted(String(symbol.fromLine)),
      truncateText(`${indent}${symbol.signature}`, room),
    ]
  }
}

function renderSymbol(shown: Extract<MapShow, { kind: "symbol" }>, screen: Screen): string {
  const { paint } = screen
  const { symbol } = shown
  const others = shown.others.map((it) => [it.kind, placeOf(it)])
  return [
    `${paint.bold(symbol.name)}  ${paint.muted(`${symbol.kind}, ${placeOf(symbol)}`)}`,
    `  ${symbol.signature}`,
    ...(symbol.doc === undefined ? [] : [`  ${paint.muted(symbol.doc)}`]),
    ...links("Callers", shown.callers, { screen, lineOf: (it) => it.line }),
    // The line of the call is in the caller's file; a row names the callee's.
    ...links("Called", shown.called, { screen, lineOf: (it) => it.symbol.fromLine }),
    ...(others.length === 0
      ? []
      : [
          "",
          paint.bold("Other symbols with this name"),
          indentedTable(["Kind", "Place"], others, screen),
        ]),
    ...(shown.isCut
      ? ["", paint.muted("The lists are incomplete: there are more callers or calls.")]
      : []),
  ].join("\n")
}

function links(
  title: string,
  rows: readonly MapLink[],
  { screen, lineOf }: { readonly screen: Screen; readonly lineOf: (link: MapLink) => number },
): readonly string[] {
  const { paint } = screen
  if (rows.length === 0) return ["", `${paint.bold(title)} ${paint.muted("none found")}`]
  // The second hop is indented below the first.
  const cells = rows.map((link) => [
    `${"  ".repeat(link.hops - 1)}${link.symbol.name}`,
    `${link.symbol.path}:${lineOf(link)}`,
    paint.muted(CONFIDENCE[link.confidence]),
  ])
  return [
    "",
    `${paint.bold(title)} ${paint.muted(String(rows.length))}`,
    indentedTable(["Symbol", "Place", "Resolved by"], cells, screen),
  ]
}

const CONFIDENCE = {
  import: "through an import",
  package: "same package",
  unique: "only symbol with this name",
  ambiguous: "one of several with this name",
} as const

function renderTreemap(shown: MapTreemap, screen: Screen): string {
  const { paint } = screen
  if (shown.state === null) return paint.muted("The repository is not scanned yet. Run `qm map`.")
  const tiles = shown.tiles.slice(0, rowLimit(MOST_TILES, screen))
  const rows = tiles.map((it) => [
    shareBar(it.tokens / Math.max(1, shown.tiles[0]?.tokens ?? 1)),
    it.files === 1 ? it.path : `${it.path}/ (${plural(it.files, "small file")})`,
    formatCount(it.tokens),
    it.changes === null ? "" : formatExact(it.changes),
    it.place === null ? "" : formatExact(it.place),
  ])
  const facts = [plural(shown.files, "file"), `${formatCount(shown.tokens)} tokens`]
  const more = shown.tiles.length - tiles.length
  return [
    `${paint.bold(facts.join(", "))}  ${paint.muted(periodText(shown.period))}`,
    listing(["Size", "File", "Tokens", "Changes", "Rank"], rows, screen),
    ...(more > 0 ? [paint.muted(`and ${formatExact(more)} more`)] : []),
  ].join("\n")
}

const MOST_TILES = 40

function periodText(period: MapPeriod | null): string {
  return period === null ? "no history" : `changes in ${plural(period.days, "day")}`
}

function renderFolder(shown: MapFolder, screen: Screen): string {
  const { paint } = screen
  const { changes } = shown.measures
  const facts = [
    plural(shown.files, "file"),
    `${formatCount(shown.tokens)} tokens`,
    ...(changes === null || shown.period === null
      ? []
      : [`${plural(changes, "commit")} in ${plural(shown.period.days, "day")}`]),
  ]
  const neighbours = (rows: MapFolder["usedBy"]) =>
    rows.map((it) => [it.folder || ".", paint.muted(plural(it.files, "importing file"))])
  const importers = new Map(shown.usedBy.map((it) => [it.folder, it.files]))
  const cycles = shown.dependsOn.flatMap(({ folder }) => {
    const files = importers.get(folder)
    if (files === undefined) return []
    return [paint.warn(`Cycle: ${plural(files, "file")} in ${folder || "."} import it back.`)]
  })
  const symbols = shown.symbols.map((it) => [
    it.symbol.name,
    placeOf(it.symbol),
    paint.muted(`used in ${plural(it.files, "file")}`),
  ])
  const changed = shown.changedWith.map((it) => [it.path, paint.muted(timesText(it.times))])
  return [
    `${paint.bold(shown.folder || ".")}  ${paint.muted(facts.join(", "))}`,
    ...section("Used by", ["Folder", "Files"], neighbours(shown.usedBy)),
    ...section("Depends on", ["Folder", "Files"], neighbours(shown.dependsOn)),
    ...cycles,
    ...section("Top symbols", ["Symbol", "Place", "Use"], symbols),
    ...section("Changes with", ["File", "How often"], changed),
  ].join("\n")

  function section(
    title: string,
    headings: readonly string[],
    rows: readonly (readonly string[])[],
  ): readonly string[] {
    if (rows.length === 0) return []
    return ["", paint.bold(title), indentedTable(headings, rows, screen)]
  }
}

function renderUsers({ users, isCut }: MapUsers, screen: Screen): string {
  const { paint } = screen
  if (users.length === 0) return paint.muted("No other file uses a symbol of this file.")
  const rows = users.map((it) => [`${it.by.path}:${it.line}`, it.by.name, paint.muted(it.name)])
  const list = listing(["Line", "Used in", "Symbol"], rows, screen)
  return [list, ...(isCut ? [paint.muted("The list is incomplete.")] : [])].join("\n")
}

function renderExportedMap({ out, files }: MapExport): string {
  return `Wrote ${plural(files.length, "file")} to ${out}`
}

function renderFound(results: SearchFind, { paint, width }: Screen): string {
  const { files, tests, documents } = results
  if (files.length + tests.length + documents.length === 0) {
    return paint.muted(nothingFoundText(results.state))
  }
  const block = (file: FoundFile) => {
    const head = [shareBar(file.score), paint.bold(file.path), paint.muted(file.reasons.join(", "))]
    const symbols = file.symbols.slice(0, 3).map((symbol) => {
      const line = `${symbol.fromLine}:`
      return `${" ".repeat(10)}${paint.muted(line)} ${truncateText(symbol.signature, width - 11 - line.length)}`
    })
    return [head.join("  "), ...symbols].join("\n")
  }
  const group = (title: string, own: readonly FoundFile[]) =>
    own.length === 0 ? [] : ["", paint.bold(title), ...own.map(block)]
  return [
    paint.muted("Match     File  Reason"),
    ...files.map(block),
    ...group("Tests", tests),
    ...group("Documents", documents),
    "",
    paint.muted(`Ranked by ${results.signals.join(", ")}`),
  ].join("\n")
}

function nothingFoundText(state: IndexState): string {
  if (state.files === 0)
    return "The map is empty: qm found no readable file in this repository. Run `qm map` after you add some."
  return [
    `No match in ${plural(state.files, "file")}: text, symbol names and paths were searched.`,
    "Try a symbol name, a part of a path, or words that occur in the code.",
  ].join("\n")
}

function describeState(state: IndexState): string {
  const commit = state.gitSha === null ? [] : [`commit ${state.gitSha.slice(0, 7)}`]
  const past =
    state.historyProblem === null
      ? `${plural(state.commits, "commit")} of history`
      : `no history: ${state.historyProblem}`
  return [...commit, past].join("; ")
}

function timesText(times: number): string {
  return times === 1 ? "once" : `${times} times`
}

function placeOf(symbol: MapSymbol): string {
  return `${symbol.path}:${symbol.fromLine}`
}

export const mapRenderers: Renderers<typeof mapOperations> = {
  export: renderExportedMap,
  folder: renderFolder,
  scan: renderScan,
  show: renderShow,
  tree: renderTree,
  treemap: renderTreemap,
  users: renderUsers,
}

export const searchRenderers: Renderers<typeof searchOperations> = {
  find: renderFound,
}
