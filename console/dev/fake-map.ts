import { ROUND_LINE, ROUNDING, symbol, symbolShown } from "./fake-map-symbols.ts"
import { WORLD_NOW } from "./fake-world.ts"

/** The map of the fake world: small enough to be read, with one folder of 10,000 files. */

type Entry = {
  path: string
  name: string
  kind: "folder" | "file"
  files: number
  symbols: number
  tokens: number
  rank: number
  language?: string
  fileClass?: string
}

/** Path, rank, tokens, symbols. */
const FILES: readonly (readonly [string, number, number, number])[] = [
  ["CLAUDE.md", 0, 2_140, 0],
  ["README.md", 0, 1_212, 0],
  ["docs/conventions.md", 0, 3_140, 0],
  ["docs/tariffs.md", 0, 4_870, 0],
  ["package.json", 0, 640, 0],
  ["src/api/berths.ts", 0.21, 1_960, 9],
  ["src/api/invoices.ts", 0.34, 2_720, 14],
  ["src/api/quotes.ts", 0.18, 1_430, 7],
  ["src/api/server.ts", 0.12, 980, 4],
  ["src/berth/allocate.ts", 0.29, 3_310, 18],
  ["src/berth/calendar.ts", 0.17, 1_690, 8],
  ["src/clock/clock.ts", 0.62, 410, 3],
  ["src/invoice/invoice.ts", 0.55, 2_280, 12],
  ["src/invoice/lines.ts", 0.47, 1_870, 10],
  ["src/invoice/render.ts", 0.11, 1_240, 6],
  ["src/money/cents.ts", 1, 760, 8],
  ["src/money/currency.ts", 0.41, 930, 5],
  ["src/tariff/harbour-dues.ts", 0.33, 2_640, 13],
  ["src/tariff/quote.ts", 0.38, 2_050, 11],
  ["src/tariff/rounding.ts", 0.83, 1_120, 4],
  [
    "src/tariff/surcharges/fuel-and-environmental-surcharge-for-vessels-over-300-tons.ts",
    0.06,
    890,
    4,
  ],
  ["src/tariff/surcharges/\u202Egpj.exe.ts", 0.01, 120, 1],
  ["src/tariff/surcharges/תעריף.ts", 0.02, 310, 2],
  ["src/tide/forecast.ts", 0.15, 2_430, 12],
  ["src/tide/station.ts", 0.09, 1_180, 5],
  ["test/invoice.test.ts", 0, 2_910, 0],
  ["test/rounding.test.ts", 0, 1_640, 0],
]

const MANY = 10_000

const STATE = {
  digest: "9f2c1e",
  gitSha: "4e2a19c07b5d8a61f3c2e94b7d01a85e6f3b2c1d",
  scannedAt: WORLD_NOW - 240_000,
  files: FILES.length + MANY,
  commits: 1_204,
  historyProblem: null,
}

export function mapTree(query: URLSearchParams, isScanned: boolean) {
  const folder = query.get("folder") ?? ""
  if (!isScanned) return { folder, entries: [], total: 0, state: null }
  const filter = query.get("filter") ?? ""
  const limit = Number(query.get("limit") ?? 500)
  const all = filter === "" ? entriesOf(folder) : filesWith(filter)
  return { folder, entries: all.slice(0, limit), total: all.length, state: STATE }
}

function filesWith(filter: string): readonly Entry[] {
  const all = [...FILES.map(([path]) => path), ...stations()]
  return all.filter((it) => it.toLowerCase().includes(filter.toLowerCase())).map(fileEntry)
}

function entriesOf(folder: string): readonly Entry[] {
  if (folder === "data/stations") return stations().map(fileEntry)
  const prefix = folder === "" ? "" : `${folder}/`
  const below = FILES.filter(([path]) => path.startsWith(prefix))
  const names = new Set(below.map(([path]) => path.slice(prefix.length).split("/")[0] ?? ""))
  if (folder === "") names.add("data")
  if (folder === "data") names.add("stations")
  const entries = [...names].map((name) => entryOf(`${prefix}${name}`))
  return entries.toSorted(byKindAndName)
}

function byKindAndName(a: Entry, b: Entry): number {
  if (a.kind !== b.kind) return a.kind === "folder" ? -1 : 1
  return a.name < b.name ? -1 : 1
}

function entryOf(path: string): Entry {
  if (FILES.some(([one]) => one === path)) return fileEntry(path)
  const inside = FILES.filter(([one]) => one.startsWith(`${path}/`))
  const isData = path.startsWith("data")
  return {
    path,
    name: nameOf(path),
    kind: "folder",
    files: isData ? MANY : inside.length,
    symbols: sum(inside.map(([, , , symbols]) => symbols)),
    tokens: isData ? 1_240_000 : sum(inside.map(([, , tokens]) => tokens)),
    rank: Math.max(0, ...inside.map(([, rank]) => rank)),
  }
}

function fileEntry(path: string): Entry {
  const [, rank, tokens, symbols] = FILES.find(([one]) => one === path) ?? [path, 0, 124, 0]
  const isCode = path.endsWith(".ts")
  return {
    path,
    name: nameOf(path),
    kind: "file",
    files: 1,
    symbols,
    tokens,
    rank,
    ...(isCode ? { language: "typescript" } : {}),
    fileClass: classOf(path),
  }
}

function classOf(path: string): string {
  if (path.startsWith("test/")) return "test"
  return path.endsWith(".ts") ? "source" : "docs"
}

const stations = (): readonly string[] =>
  Array.from({ length: MANY }, (_, i) => `data/stations/station-${String(i).padStart(5, "0")}.json`)

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1)
const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0)

/** Undefined for what is not in the tree. */
export function mapShow(query: URLSearchParams) {
  const what = query.get("what") ?? ""
  const [path = "", name] = what.split("#")
  if (FILES.every(([one]) => one !== path)) return undefined
  if (name === undefined) return fileShown(path)
  // `Owner.name` is asked for by its last part, as far as this world goes.
  return symbolShown(path, name.slice(name.lastIndexOf(".") + 1), Number(query.get("hops")))
}

function fileShown(path: string) {
  const { tokens, rank, language = null, fileClass = "docs", symbols } = fileEntry(path)
  const isRounding = path === "src/tariff/rounding.ts"
  const made = Array.from({ length: symbols }, (_, i) =>
    symbol(path, `step${i + 1}`, { fromLine: 10 * i + 1, toLine: 10 * i + 9, tokens: 40 + i }),
  )
  return {
    kind: "file",
    path,
    language,
    fileClass,
    tokens,
    lines: Math.round(tokens / 9),
    rank,
    symbols: isRounding ? ROUNDING : made,
    imports: isRounding
      ? [
          { specifier: "#money/cents", line: 1, paths: ["src/money/cents.ts"] },
          { specifier: "node:assert", line: 2, paths: [] },
        ]
      : [],
    importedBy: isRounding ? ["src/invoice/lines.ts", "src/tariff/quote.ts"] : [],
    changedWith: isRounding
      ? [
          { path: "test/rounding.test.ts", times: 9 },
          { path: "src/invoice/lines.ts", times: 6 },
        ]
      : [],
    problems: path === "src/tide/forecast.ts" ? ["Cut at 1 MB: the rest is not in the map."] : [],
  }
}

export function searchFind(query: URLSearchParams) {
  const words = query.get("words") ?? ""
  const files = [
    {
      path: "src/tariff/rounding.ts",
      score: 1,
      language: "typescript",
      tokens: 1_120,
      reasons: ["defines roundLine", "words rounding, cent"],
      symbols: [
        { ...ROUND_LINE, score: 1 },
        { ...(ROUNDING[2] ?? ROUND_LINE), score: 0.4 },
      ],
    },
    {
      path: "src/invoice/lines.ts",
      score: 0.64,
      language: "typescript",
      tokens: 1_870,
      reasons: ["changed with rounding.ts 6 times"],
      symbols: [{ ...symbol("src/invoice/lines.ts", "priceLine"), score: 0.5 }],
    },
    {
      path: "src/tariff/surcharges/\u202Egpj.exe.ts",
      score: 0.12,
      language: "typescript",
      tokens: 120,
      reasons: ["words \u202Etariff"],
      symbols: [],
    },
  ]
  const isNothing = words.includes("nothing")
  return { files: isNothing ? [] : files, signals: ["words", "history"], state: STATE }
}

export function mapScan() {
  return {
    scan: {
      filesScanned: STATE.files,
      filesChanged: 3,
      symbolsIndexed: 212,
      dependenciesIndexed: 147,
      durationSeconds: 1.34,
      gitSha: STATE.gitSha,
      mode: "incremental",
    },
    state: STATE,
    languages: [{ language: "typescript", files: 21, symbols: 212, tokens: 31_000 }],
    skipped: [
      { path: "assets/harbour.mp4", reason: "binary" },
      { path: ".env", reason: "may hold secrets" },
    ],
    skippedCount: 14,
    problems: [{ path: "src/tide/forecast.ts", reason: "cut at 1 MB" }],
    problemsCount: 1,
  }
}
