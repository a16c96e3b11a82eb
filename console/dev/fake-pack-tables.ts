/** The files that the fake packages are made of; the same harbour software as everywhere. */
export type FakeCandidate = {
  readonly path: string
  readonly score: number
  readonly wholeTokens: number
  readonly form: "full" | "symbols" | "signatures" | "path"
  readonly symbols: readonly string[]
  readonly reasons: readonly string[]
  /** Kept from roles that may not see it. */
  readonly isDenied?: boolean
}

type Cells = readonly [
  path: string,
  score: number,
  wholeTokens: number,
  form: FakeCandidate["form"],
  symbols: string,
  reasons: string,
]

const ROWS: readonly Cells[] = [
  [
    "src/tariff/rounding.ts",
    0.97,
    1_204,
    "full",
    "roundLine, halfUp, halfEven, Rule",
    "named in the task; defines roundLine",
  ],
  [
    "src/tariff/invoice.ts",
    0.93,
    4_390,
    "full",
    "invoiceTotal, addLines",
    "calls roundLine; words invoice, cent",
  ],
  [
    "src/tariff/quote.ts",
    0.91,
    4_812,
    "full",
    "quoteTotal, quoteLines",
    "calls roundLine; changed with it 11 times",
  ],
  [
    "test/tariff/rounding.test.ts",
    0.78,
    2_956,
    "full",
    "splitStay",
    "tests roundLine; words split, cent",
  ],
  [
    "src/berth/split-stay.ts",
    0.74,
    3_480,
    "symbols",
    "splitStay, nightsOf",
    "words split, stay; calls quoteLines",
  ],
  ["docs/tariffs.md", 0.66, 3_140, "full", "", "words rounding, line"],
  ["src/tariff/money.ts", 0.58, 910, "signatures", "Cents, Milli", "imported by 3 chosen files"],
  ["src/http/quotes.ts", 0.51, 2_870, "signatures", "postQuote", "calls quoteTotal; two hops"],
  ["src/currency/table.ts", 0.47, 5_120, "path", "", "imported by money.ts"],
  ["src/tariff/night-rates.ts", 0.44, 3_600, "full", "nightRate", "changed with quote.ts 6 times"],
  [
    "src/berth/allocate.ts",
    0.41,
    2_870,
    "full",
    "allocate",
    "word berth; one hop from split-stay.ts",
  ],
  ["src/jobs/close-month.ts", 0.33, 1_940, "full", "closeMonth", "calls invoiceTotal; two hops"],
]

/** What had no room when nobody asks for it. */
export const WITHOUT_ROOM = 9

export const CANDIDATES: readonly FakeCandidate[] = ROWS.map(
  ([path, score, wholeTokens, form, symbols, reasons]) => ({
    path,
    score,
    wholeTokens,
    form,
    symbols: symbols === "" ? [] : symbols.split(", "),
    reasons: reasons.split("; "),
  }),
)

export const DENIED: readonly FakeCandidate[] = [
  "web/src/quote-form.tsx",
  "web/src/invoice.css",
].map((path, i) => ({
  path,
  score: 0.38 - i / 20,
  wholeTokens: 1_400 + i * 300,
  form: "full",
  symbols: [],
  reasons: ["words quote, invoice"],
  isDenied: true,
}))

/** So far down that nobody wants them: 44 as in the picture, or as many as a large tree has. */
export function belowOf(count: number): readonly FakeCandidate[] {
  return Array.from({ length: count }, (_, i) => ({
    path: pathAt(i),
    score: Math.max(0, 0.199 - i / 12_000),
    wholeTokens: 240 + ((i * 733) % 5_000),
    form: "full" as const,
    symbols: [],
    reasons: ["word berth"],
  }))
}

/** Among them one whose name would turn the line round, and one that is too long for any column. */
function pathAt(i: number): string {
  if (i === 2) return "src/berth/\u202Egpj.exe\u0007.ts"
  if (i === 3)
    return `src/${"a-folder-with-a-long-name/".repeat(8)}and-a-file-with-a-long-name-too.ts`
  return `src/harbour/pier-${i % 40}/mooring-${i}.ts`
}
