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
  filesScanned: Count.describe("Files in the index"),
  filesChanged: Count.describe("Files added, changed or deleted since the previous scan"),
  symbolsIndexed: Count.describe("Symbols of all files"),
  dependenciesIndexed: Count.describe("Imports of all files"),
  durationSeconds: z.number().nonnegative(),
  gitSha: z.string().nullable().describe("The checked-out commit, or null without git"),
  mode: ScanMode,
})
export type ScanResult = z.infer<typeof ScanResult>

/** Skipped, or read in part. */
export const SkippedFile = z.object({
  path: z.string(),
  reason: z.string().describe("Reason in a few words"),
})
export type SkippedFile = z.infer<typeof SkippedFile>

export const IndexState = z.object({
  digest: z.string().describe("Digest of all paths and contents; equal for equal trees"),
  gitSha: z.string().nullable(),
  scannedAt: z.int().describe("Last comparison with the disk"),
  files: Count,
  commits: Count.describe("Number of indexed commits"),
  historyProblem: z.string().nullable().describe("Reason why there is no history, or null"),
})
export type IndexState = z.infer<typeof IndexState>

export const MapScan = z.object({
  scan: ScanResult,
  state: IndexState,
  languages: z
    .array(z.object({ language: z.string(), files: Count, symbols: Count, tokens: Count }))
    .describe("Languages, most files first"),
  skipped: z.array(SkippedFile).describe("Skipped files, the first hundred"),
  skippedCount: Count,
  problems: z.array(SkippedFile).describe("Files read in part, the first hundred"),
  problemsCount: Count,
})
export type MapScan = z.infer<typeof MapScan>

/** Of a file, or of all files of a folder. Null where the repository or the store cannot tell. */
export const MapMeasures = z.object({
  changes: Count.nullable().describe("Commits of the period that changed it"),
  changedAt: z.int().nullable().describe("Time of the newest known commit that changed it"),
  place: z
    .int()
    .positive()
    .nullable()
    .describe("Position by rank, 1 is the highest; null for rank 0"),
  reads: Count.nullable().describe("Reads by agents in stored runs since `readsSince`"),
})
export type MapMeasures = z.infer<typeof MapMeasures>

/** The commits that `changes` counts. It ends at the newest commit, not at the time of the call. */
export const MapPeriod = z.object({
  days: z.int().positive(),
  endsAt: z.int(),
  commits: Count,
})
export type MapPeriod = z.infer<typeof MapPeriod>

const Measured = z.object({
  period: MapPeriod.nullable().describe("Null without history"),
  readsSince: z.int().nullable().describe("Null if no stored run read a file of the repository"),
})

/** A folder or a file. */
export const MapEntry = z.object({
  path: z.string().describe("Relative to the root, without a trailing slash"),
  name: z.string(),
  kind: z.enum(["folder", "file"]),
  files: Count.describe("Number of files; 1 for a file"),
  symbols: Count,
  tokens: Count,
  rank: Share.describe("How much other code depends on it; the highest has 1"),
  language: z.string().optional(),
  fileClass: z.string().optional().describe("source, test, docs, generated and others"),
  measures: MapMeasures.optional(),
})
export type MapEntry = z.infer<typeof MapEntry>

export const MapTree = z.object({
  folder: z.string(),
  entries: z.array(MapEntry).describe("Folders first, then files, by name"),
  total: Count.describe("Number of entries, listed or not"),
  state: IndexState.nullable().describe("Null if the repository was never scanned"),
  measured: Measured.optional().describe("Present if measures were requested"),
})
export type MapTree = z.infer<typeof MapTree>

/** A file, or the small files of a folder together. */
export const MapTile = MapMeasures.extend({
  path: z.string().describe("Of the file, or of the folder of small files"),
  files: z.int().positive().describe("1 for a file, else the number of small files"),
  tokens: Count,
  rank: Share,
})
export type MapTile = z.infer<typeof MapTile>

export const MapTreemap = Measured.extend({
  folder: z.string(),
  files: Count,
  tokens: Count,
  ranked: Count.describe("Files of the repository with a position"),
  tiles: z.array(MapTile).describe("Largest first; their tokens add up to `tokens`"),
  state: IndexState.nullable().describe("Null if the repository was never scanned"),
})
export type MapTreemap = z.infer<typeof MapTreemap>

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

export const MapLink = z.object({
  symbol: MapSymbol,
  line: z.int().positive().describe("Line of the use, in the file of the caller"),
  hops: z.int().min(1).max(2),
  via: z.string().optional().describe("path#symbol in between, for two steps"),
  confidence: LinkConfidence,
})
export type MapLink = z.infer<typeof MapLink>

export const NeighbourFolder = z.object({
  folder: z.string(),
  files: z.int().positive().describe("Importing files"),
  paths: z.array(z.string()).describe("Importing files, the first twenty"),
})
export type NeighbourFolder = z.infer<typeof NeighbourFolder>

export const MapFolder = Measured.extend({
  folder: z.string(),
  files: Count,
  tokens: Count,
  ranked: Count.describe("Files of the repository with a position"),
  measures: MapMeasures,
  largest: z.array(MapTile).describe("Files, largest first"),
  symbols: z
    .array(z.object({ symbol: MapSymbol, files: z.int().positive() }))
    .describe("Symbols that most other files use, with the number of files"),
  usedBy: z.array(NeighbourFolder).describe("Folders that import it, most files first"),
  dependsOn: z
    .array(NeighbourFolder)
    .describe("Folders that it imports. A folder in both lists is a cycle"),
  changedWith: z
    .array(z.object({ path: z.string(), times: z.int().positive() }))
    .describe("Files outside that changed in the same commits"),
})
export type MapFolder = z.infer<typeof MapFolder>

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
    others: z.array(MapSymbol).describe("Other symbols of the same name"),
    callers: z.array(MapLink),
    called: z.array(MapLink),
    isCut: z.boolean().describe("Whether the list is truncated"),
  }),
  MapFolder.extend({ kind: z.literal("folder") }),
])
export type MapShow = z.infer<typeof MapShow>

export const MapUsers = z.object({
  path: z.string(),
  users: z
    .array(
      z.object({
        name: z.string().describe("Symbol of the file that is used"),
        by: MapSymbol,
        line: z.int().positive().describe("Line of the use"),
        confidence: LinkConfidence,
      }),
    )
    .describe("Code of other files, by file and line"),
  isCut: z.boolean().describe("Whether the list is truncated"),
})
export type MapUsers = z.infer<typeof MapUsers>

export const MapExport = z.object({
  out: z.string(),
  files: z.array(z.string()).describe("Written files, relative to the folder"),
})
export type MapExport = z.infer<typeof MapExport>

/** With its best symbols. */
export const FoundFile = z.object({
  path: z.string(),
  score: Share,
  language: z.string().nullable(),
  tokens: Count,
  reasons: z.array(z.string()).describe("Reasons, of at most six words each"),
  symbols: z.array(MapSymbol.extend({ score: Share })).describe("Its best symbols, best first"),
})
export type FoundFile = z.infer<typeof FoundFile>

export const SearchNames = z.object({
  files: z.array(z.object({ path: z.string(), tokens: Count })).describe("Best first"),
  symbols: z
    .array(MapSymbol.pick({ path: true, name: true, kind: true, parent: true, fromLine: true }))
    .describe("Best first"),
  isScanned: z.boolean().describe("False if the repository was never scanned"),
})
export type SearchNames = z.infer<typeof SearchNames>

export const SearchFind = z.object({
  files: z.array(FoundFile).describe("Source and other files, best first"),
  tests: z.array(FoundFile).describe("Tests that match, best first"),
  documents: z.array(FoundFile).describe("Documents that match, best first"),
  signals: z.array(z.string()).describe("Signals of the ranking: words, history, meaning"),
  state: IndexState,
})
export type SearchFind = z.infer<typeof SearchFind>
