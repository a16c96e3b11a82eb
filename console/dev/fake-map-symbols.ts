/** Symbols of the fake world, and who calls whom. */

type Symbol = {
  path: string
  name: string
  kind: "function" | "class" | "interface" | "type" | "constant" | "method"
  parent?: string
  signature: string
  fromLine: number
  toLine: number
  isExported: boolean
  tokens: number
  doc?: string
}

export function symbol(path: string, name: string, given: Partial<Symbol> = {}): Symbol {
  return {
    path,
    name,
    kind: "function",
    signature: `export function ${name}(lines: readonly Line[], currency: Currency): Cents`,
    fromLine: 12,
    toLine: 31,
    isExported: true,
    tokens: 240,
    ...given,
  }
}

export const ROUND_LINE = symbol("src/tariff/rounding.ts", "roundLine", {
  signature: "export function roundLine(amount: Cents, rule: RoundingRule): Cents",
  fromLine: 18,
  toLine: 44,
  tokens: 312,
  doc: "Rounds one line of an invoice half to even, as the port's tariff of 2024 asks for.",
})
export const ROUNDING: readonly Symbol[] = [
  symbol("src/tariff/rounding.ts", "RoundingRule", {
    kind: "type",
    signature: 'export type RoundingRule = "half-even" | "half-up" | "down"',
    fromLine: 4,
    toLine: 6,
    tokens: 38,
  }),
  ROUND_LINE,
  symbol("src/tariff/rounding.ts", "Rounder", {
    kind: "class",
    signature: "export class Rounder",
    fromLine: 48,
    toLine: 96,
    tokens: 520,
  }),
  symbol("src/tariff/rounding.ts", "roundAll", {
    kind: "method",
    parent: "Rounder",
    signature: "roundAll(lines: readonly InvoiceLine[]): readonly InvoiceLine[]",
    fromLine: 60,
    toLine: 78,
    isExported: false,
    tokens: 190,
  }),
]

type Link = {
  symbol: Symbol
  line: number
  hops: 1 | 2
  via?: string
  confidence: "import" | "package" | "unique" | "ambiguous"
}

const CALLERS: readonly Link[] = [
  { symbol: symbol("src/invoice/lines.ts", "priceLine"), line: 27, hops: 1, confidence: "import" },
  {
    symbol: symbol("src/invoice/lines.ts", "discountLine"),
    line: 61,
    hops: 1,
    confidence: "import",
  },
  { symbol: ROUNDING[3] ?? ROUND_LINE, line: 66, hops: 1, confidence: "package" },
  {
    symbol: symbol("src/tariff/quote.ts", "quoteStay"),
    line: 90,
    hops: 1,
    confidence: "ambiguous",
  },
  {
    symbol: symbol("src/invoice/invoice.ts", "issueInvoice"),
    line: 40,
    hops: 2,
    via: "src/invoice/lines.ts#priceLine",
    confidence: "import",
  },
  {
    symbol: symbol("src/invoice/invoice.ts", "creditInvoice"),
    line: 88,
    hops: 2,
    via: "src/invoice/lines.ts#priceLine",
    confidence: "import",
  },
  {
    symbol: symbol("src/api/quotes.ts", "postQuote"),
    line: 22,
    hops: 2,
    via: "src/tariff/quote.ts#quoteStay",
    confidence: "unique",
  },
]

const CALLED: readonly Link[] = [
  {
    symbol: symbol("src/money/cents.ts", "divideHalfEven"),
    line: 24,
    hops: 1,
    confidence: "import",
  },
  {
    symbol: symbol("src/money/cents.ts", "assertWholeCentsOrExplainWhichLineIsAtFault"),
    line: 21,
    hops: 1,
    confidence: "import",
  },
  {
    symbol: symbol("src/money/currency.ts", "minorUnits"),
    line: 12,
    hops: 2,
    via: "src/money/cents.ts#divideHalfEven",
    confidence: "import",
  },
]

export function symbolShown(path: string, name: string, hops: number) {
  const isKnown = name === "roundLine"
  const near = (all: readonly Link[]) => (isKnown ? all.filter((it) => it.hops <= hops) : [])
  const known = [...ROUNDING, ...CALLERS, ...CALLED].map((it) => ("symbol" in it ? it.symbol : it))
  return {
    kind: "symbol",
    symbol: known.find((it) => it.name === name && it.path === path) ?? symbol(path, name),
    others: isKnown ? [symbol("src/berth/allocate.ts", "roundLine", { isExported: false })] : [],
    callers: near(CALLERS),
    called: near(CALLED),
    isCut: false,
  }
}
