import { z } from "zod"

export const SYMBOL_KINDS = [
  "function",
  "class",
  "interface",
  "type",
  "enum",
  "variable",
  "constant",
  "method",
  "module",
] as const
export const SymbolKind = z.enum(SYMBOL_KINDS)
export type SymbolKind = z.infer<typeof SymbolKind>

const Count = z.int().nonnegative()
const Share = z.number().min(0).max(1)

export const ScanMode = z.enum(["full", "incremental"])
export type ScanMode = z.infer<typeof ScanMode>

export const ScanResult = z.object({
  filesScanned: Count.describe("Files of the tree that are in the index now"),
  filesChanged: Count.describe("Files added, changed or gone since the scan before"),
  symbolsIndexed: Count.describe("Symbols of all files of the tree"),
  dependenciesIndexed: Count.describe("Imports of all files of the tree"),
  durationSeconds: z.number().nonnegative(),
  gitSha: z.string().nullable().describe("The commit that was checked out, or null without git"),
  mode: ScanMode,
})
export type ScanResult = z.infer<typeof ScanResult>

/** Something the scan left out, or could not read whole. */
export const SkippedFile = z.object({
  path: z.string(),
  reason: z.string().describe("Why, in one or a few words"),
})
export type SkippedFile = z.infer<typeof SkippedFile>

/** How fresh an index is: what was looked at, and when. */
export const IndexState = z.object({
  digest: z.string().describe("Of all paths and contents; equal trees have equal ones"),
  gitSha: z.string().nullable(),
  scannedAt: z.int().describe("When it was last compared with the disk"),
  files: Count,
  commits: Count.describe("Commits of the past that are known"),
  historyProblem: z.string().nullable().describe("Why there is no history, or null"),
})
export type IndexState = z.infer<typeof IndexState>

export const MapScan = z.object({
  scan: ScanResult,
  state: IndexState,
  languages: z
    .array(z.object({ language: z.string(), files: Count, symbols: Count, tokens: Count }))
    .describe("What the tree is written in, the most files first"),
  skipped: z.array(SkippedFile).describe("What was left out, the first hundred"),
  skippedCount: Count,
  problems: z.array(SkippedFile).describe("Files that were read in part, the first hundred"),
  problemsCount: Count,
})
export type MapScan = z.infer<typeof MapScan>

/** One line of a folder: a folder below it, or a file. */
export const MapEntry = z.object({
  path: z.string().describe("From the root, without a slash at the end"),
  name: z.string(),
  kind: z.enum(["folder", "file"]),
  files: Count.describe("Files in it; 1 for a file"),
  symbols: Count,
  tokens: Count,
  rank: Share.describe("How much the rest of the code leans on it; the most leant on has 1"),
  language: z.string().optional(),
  fileClass: z.string().optional().describe("source, test, docs, generated and so on"),
})
export type MapEntry = z.infer<typeof MapEntry>

export const MapTree = z.object({
  folder: z.string(),
  entries: z.array(MapEntry).describe("Folders first, then files, by name"),
  total: Count.describe("How many there are; more than listed when cut"),
  state: IndexState.nullable().describe("Null when nothing was scanned yet"),
})
export type MapTree = z.infer<typeof MapTree>

/** A symbol and where it lies. */
export const MapSymbol = z.object({
  path: z.string(),
  name: z.string(),
  kind: SymbolKind,
  parent: z.string().optional(),
  signature: z.string(),
  fromLine: z.int().positive(),
  toLine: z.int().positive(),
  isExported: z.boolean(),
  tokens: Count,
  doc: z.string().optional(),
})
export type MapSymbol = z.infer<typeof MapSymbol>

export const LinkConfidence = z.enum(["import", "package", "unique", "ambiguous"])
export type LinkConfidence = z.infer<typeof LinkConfidence>

/** One symbol that uses another, or is used by it. */
export const MapLink = z.object({
  symbol: MapSymbol,
  line: z.int().positive().describe("Where the name is used"),
  hops: z.int().min(1).max(2),
  via: z.string().optional().describe("path#symbol of the one between, where there are two hops"),
  confidence: LinkConfidence,
})
export type MapLink = z.infer<typeof MapLink>

export const MapShow = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("file"),
    path: z.string(),
    language: z.string().nullable(),
    fileClass: z.string(),
    tokens: Count,
    lines: Count,
    rank: Share,
    symbols: z.array(MapSymbol),
    imports: z.array(
      z.object({ specifier: z.string(), line: z.int().positive(), paths: z.array(z.string()) }),
    ),
    importedBy: z.array(z.string()),
    changedWith: z.array(z.object({ path: z.string(), times: z.int().positive() })),
    problems: z.array(z.string()),
  }),
  z.object({
    kind: z.literal("symbol"),
    symbol: MapSymbol,
    others: z.array(MapSymbol).describe("Further symbols of the same name"),
    callers: z.array(MapLink),
    called: z.array(MapLink),
    isCut: z.boolean().describe("Whether there are more than are listed"),
  }),
])
export type MapShow = z.infer<typeof MapShow>

export const MapExport = z.object({
  out: z.string(),
  files: z.array(z.string()).describe("What was written, from the folder"),
})
export type MapExport = z.infer<typeof MapExport>

/** A file that was found, with its best symbols. */
export const FoundFile = z.object({
  path: z.string(),
  score: Share,
  language: z.string().nullable(),
  tokens: Count,
  reasons: z.array(z.string()).describe("Why, in at most six words each"),
  symbols: z.array(MapSymbol.extend({ score: Share })).describe("Its best symbols, best first"),
})
export type FoundFile = z.infer<typeof FoundFile>

export const SearchFind = z.object({
  files: z.array(FoundFile).describe("Best first"),
  signals: z.array(z.string()).describe("What the order rests on: words, history, meaning"),
  state: IndexState,
})
export type SearchFind = z.infer<typeof SearchFind>
