import type { CaptureChange } from "../src/contract.ts"

/** The memory file of the mock-up, a secret of which the server has replaced. */
export const CLAUDE_MD = `# Tideline

Berth booking and tariffs for small harbours. TypeScript, Node 22, Postgres. One service, three modules.

## Money
- Amounts are integers in minor units, never floats.
- Rounding lives in src/tariff/rounding.ts and nowhere else.
- A quote and its invoice agree to the cent. If not, the invoice is the bug.

## Imports
@docs/conventions.md
@docs/tariffs.md

## Before you finish
- npm run check: types, lint, 1,204 tests.
- Touching src/tariff? Run npm run db:check on a closed month.
- Feed: FEED_KEY=[redacted: api-key 7c1e]

## Layout
- src/berth: search, fit, allocate. No money here.
- src/tariff: quote, invoice, rounding. No berths here.
- src/feed: tide and pilotage, read only, cached for 10 minutes.
- src/http: thin. A handler has no branch that a module could have.

## Words
- A stay is one vessel at one berth. A booking has one or more stays.
- A quote is a promise. An invoice repeats it.
`

export const CLAUDE_MD_LINES: NonNullable<CaptureChange["lines"]> = [
  { sign: " ", before: 5, after: 5, text: "## Money" },
  { sign: " ", before: 6, after: 6, text: "- Amounts are integers in minor units, never floats." },
  { sign: "-", before: 7, text: "- Rounding lives in src/tariff." },
  {
    sign: "+",
    after: 7,
    text: "- Rounding lives in src/tariff/rounding.ts and nowhere else.",
  },
  {
    sign: "+",
    after: 8,
    text: "- A quote and its invoice agree to the cent. If not, the invoice is the bug.",
  },
  { sign: " ", before: 8, after: 9, text: "" },
  { sign: " ", before: 9, after: 10, text: "## Imports" },
  { sign: " ", before: 10, after: 11, text: "@docs/conventions.md" },
  { sign: "-", before: 11, text: "@docs/prices.md" },
  { sign: "+", after: 12, text: "@docs/tariffs.md" },
]
