import { z } from "zod"
import { formatExact, oneLine, plural, truncate } from "#ground/base"
import {
  Capture,
  type FoundFile,
  type ManifestItem,
  type MapEntry,
  type MapLink,
  MapShow,
  type MapSymbol,
  MapTree,
  type NeighbourFolder,
  PackBuilt,
  PackForm,
  SearchFind,
} from "#ground/contract"
import { LONGEST_LINE_CHARACTERS } from "../limits.ts"
import { ask, session_id, type ToolCall, toolView } from "./tool.ts"

/** Per file of a result; `map` has more. */
const MOST_SYMBOLS_OF_A_FILE = 5

/** Rows of the structured summary; the text has all. */
const MOST_SUMMARY_ROWS = 50

const pack = toolView({
  result: PackBuilt,
  fields: {
    pack_id: z.string(),
    tokens: z.int(),
    budget: z.int(),
    files: z.array(z.object({ path: z.string(), form: PackForm, tokens: z.int() })),
    left_out: z.int(),
  },
  answer: ({ pack: { id, tokens, budget, files, leftCount }, text }) => ({
    label: `pack ${id}`,
    text,
    fields: {
      pack_id: id,
      tokens,
      budget,
      files: files.slice(0, MOST_SUMMARY_ROWS).map((file) => {
        return { path: file.path, form: file.form, tokens: file.tokens }
      }),
      left_out: leftCount,
    },
  }),
})

const search = toolView({
  result: SearchFind,
  fields: { files: z.array(z.object({ path: z.string(), score: z.number() })) },
  answer: (result) => ({
    text: filesText(result),
    fields: {
      files: result.files.slice(0, MOST_SUMMARY_ROWS).map(({ path, score }) => ({ path, score })),
    },
  }),
})

const MapArguments = z.strictObject({
  what: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe("Path of a file or folder, symbol, or path#symbol"),
  folder: z.string().max(4_096).optional().describe("List this folder instead; empty for the root"),
  hops: z.int().min(1).max(2).optional().describe("How many steps of callers to follow"),
  session_id,
})

/** A path or symbol by `map.show`, the entries of a folder by `map.tree`. */
const map = toolView({
  input: MapArguments,
  result: z.union([MapShow, MapTree]),
  fields: { kind: z.enum(["folder", "file", "symbol"]) },
  async ask(args, call) {
    const { what, hops, folder } = MapArguments.parse(args)
    if (what === undefined) return scannedTree(folder ?? "", call)
    return MapShow.parse(await ask(call, "map.show", { what, hops }))
  },
  answer: (result, { what }) =>
    "kind" in result
      ? { label: `map of ${String(what)}`, text: shownText(result), fields: { kind: result.kind } }
      : { label: `map of ${result.folder}/`, text: treeText(result), fields: { kind: "folder" } },
})

/** Scans first if the repository was never scanned. */
async function scannedTree(folder: string, call: ToolCall): Promise<MapTree> {
  const list = async () => MapTree.parse(await ask(call, "map.tree", { folder }))
  const listed = await list()
  if (listed.state !== null) return listed
  await ask(call, "map.scan", {})
  return await list()
}

const capture = toolView({
  result: Capture,
  fields: {
    capture_id: z.string(),
    host: z.string(),
    files: z.int(),
    tokens_in_window: z.int(),
    tokens_on_demand: z.int(),
    window: z.int(),
  },
  answer: (result) => ({
    label: `capture of ${result.manifest.host}`,
    text: captureText(result),
    fields: {
      capture_id: result.manifest.id,
      host: result.manifest.host,
      files: result.manifest.totals.files,
      tokens_in_window: result.manifest.totals.tokensInWindow,
      tokens_on_demand: result.manifest.totals.tokensOnDemand,
      window: result.budget.window,
    },
  }),
})

export const CODE_VIEWS = { pack, search, map, capture }

function filesText({ files, tests, documents, signals }: SearchFind): string {
  if (files.length + tests.length + documents.length === 0) {
    return "No file or symbol in this repository matches."
  }
  const group = (title: string, own: readonly FoundFile[]) =>
    own.length === 0 ? [] : [title, ...own.map(foundFileText)]
  return [
    ...files.map(foundFileText),
    ...group("Tests:", tests),
    ...group("Documents:", documents),
    `Ranked by ${signals.join(", ")}.`,
  ].join("\n")
}

function foundFileText({ path, score, reasons, symbols }: FoundFile): string {
  const best = symbols.slice(0, MOST_SYMBOLS_OF_A_FILE)
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`
  return [`${path} ${score.toFixed(2)}${why}`, ...best.map(symbolLine)].join("\n")
}

function treeText({ folder, entries, total }: MapTree): string {
  const more = total - entries.length
  return [
    `${folder === "" ? "The root" : folder} has ${plural(total, "entry", "entries")}`,
    ...entries.map(entryLine),
    ...(more > 0 ? [`and ${formatExact(more)} more`] : []),
  ].join("\n")
}

function entryLine(entry: MapEntry): string {
  const size = `${plural(entry.symbols, "symbol")}, ${formatExact(entry.tokens)} tokens`
  return entry.kind === "folder"
    ? `${entry.name}/ ${plural(entry.files, "file")}, ${size}`
    : `${entry.name} ${size}`
}

function shownText(shown: MapShow): string {
  switch (shown.kind) {
    case "file":
      return fileText(shown)
    case "symbol":
      return symbolText(shown)
    case "folder":
      return folderText(shown)
  }
}

function folderText(shown: Extract<MapShow, { kind: "folder" }>): string {
  const neighbours = (folders: readonly NeighbourFolder[]) =>
    folders.map((it) => indented(`${it.folder || "."}, ${plural(it.files, "importing file")}`))
  return [
    `${shown.folder || "."} (folder, ${plural(shown.files, "file")}, ${formatExact(shown.tokens)} tokens)`,
    ...section(
      "Largest files",
      shown.largest.map((it) => indented(`${it.path}, ${formatExact(it.tokens)} tokens`)),
    ),
    ...section("Used by", neighbours(shown.usedBy)),
    ...section("Depends on", neighbours(shown.dependsOn)),
    ...section(
      "Symbols used most",
      shown.symbols.map(({ symbol }) =>
        indented(`${symbol.name} ${symbol.path}:${symbol.fromLine}`),
      ),
    ),
  ].join("\n")
}

function fileText(file: Extract<MapShow, { kind: "file" }>): string {
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

function symbolText(shown: Extract<MapShow, { kind: "symbol" }>): string {
  const { symbol } = shown
  return [
    `${symbol.kind} ${symbol.name} in ${symbol.path}:${symbol.fromLine}-${symbol.toLine}`,
    signatureLine(symbol.signature),
    ...(symbol.doc === undefined ? [] : [symbol.doc]),
    ...section("Callers", shown.callers.map(linkLine)),
    ...section("Calls", shown.called.map(linkLine)),
    ...section(
      "Other symbols of this name",
      shown.others.map((it) => indented(`${it.kind} in ${it.path}:${it.fromLine}`)),
    ),
    ...(shown.isCut ? ["The list is truncated."] : []),
  ].join("\n")
}

function linkLine({ symbol, line, hops, confidence }: MapLink): string {
  const sure = confidence === "ambiguous" ? ", ambiguous name" : ""
  return indented(`${symbol.name} ${symbol.path}:${line}${hops === 2 ? ", two hops" : ""}${sure}`)
}

function symbolLine(symbol: MapSymbol): string {
  return indented(`${symbol.fromLine}: ${signatureLine(symbol.signature)}`)
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines]
}

function indented(line: string): string {
  return `  ${line}`
}

function signatureLine(signature: string): string {
  return truncate(oneLine(signature), LONGEST_LINE_CHARACTERS)
}

function captureText({ manifest, budget }: Capture): string {
  const { tokensInWindow, tokensOnDemand } = manifest.totals
  const later = tokensOnDemand === 0 ? "" : `, ${formatExact(tokensOnDemand)} more on demand`
  return [
    `${manifest.host} in ${manifest.workingDirectory}`,
    `${formatExact(tokensInWindow)} of ${formatExact(budget.window)} tokens before the first prompt${later}`,
    ...manifest.items.map(itemLine),
    ...manifest.notes.map((it) => `Note: ${it.text}`),
    ...budget.duplicates.map(
      (it) => `Duplicate text in ${it.labels.join(", ")}: ${formatExact(it.tokens)} tokens`,
    ),
  ].join("\n")
}

function itemLine(item: ManifestItem): string {
  const tokens = item.tokens === 0 && item.tokensOnDemand > 0 ? item.tokensOnDemand : item.tokens
  return `- ${item.label} (${item.kind}, ${item.load}): ${formatExact(tokens)} tokens; ${item.reason}`
}
