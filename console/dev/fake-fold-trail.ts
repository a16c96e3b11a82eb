import type { Branch, TrailEntry } from "../src/contract.ts"
import { RESULT } from "./fake-fold-tables.ts"

const SECOND_MS = 1_000

type Step = readonly [TrailEntry["kind"], string | null, string, number, number]

/** Seconds since it was opened, last. */
const STEPS: readonly Step[] = [
  [
    "prompt",
    null,
    "Which callers depend on per-line rounding?\n\nRead what is needed, change nothing.",
    318,
    0,
  ],
  [
    "call",
    "search",
    "roundLine(\n\nsrc/invoice/invoice.ts:88\nsrc/tariff/quote.ts:41\n5 more",
    604,
    3,
  ],
  ["charge", "Read", "src/invoice/invoice.ts, 412 lines", 4_390, 9],
  ["charge", "Read", "src/tariff/quote.ts, lines 40 to 128", 1_960, 14],
  ["progress", null, "Two callers add lines afterwards; checking the tests next.", 0, 21],
  ["call", "map", "src/tariff/rounding.ts#roundLine\n7 callers\n2 called", 188, 52],
  [
    "call",
    "read_handle",
    "Digest of 2,140 lines; the whole lies under its handle.\ninvoice 2026-10-03: 1 cent\ninvoice 2026-10-19: 1 cent",
    240,
    54,
  ],
  ["result", null, RESULT, 412, 82],
]

export function trailOf(of: Branch): TrailEntry[] {
  const steps = of.id === "fb_01callers" ? STEPS : shortTrail(of)
  return steps.map(([kind, tool, text, tokens, seconds], i) => ({
    seq: i + 1,
    at: of.createdAt + seconds * SECOND_MS,
    kind,
    tool,
    text,
    tokens,
    handle: tool === "read_handle" ? "fh_0october" : null,
  }))
}

function shortTrail(of: Branch): readonly Step[] {
  const opened: Step = ["prompt", null, of.prompt, 120, 0]
  const called: Step = ["call", "search", of.description, of.budgetUsed - 120, 4]
  const tookSeconds = ((of.completedAt ?? of.createdAt) - of.createdAt) / SECOND_MS
  if (of.result === null) return [opened, called]
  const kind = of.isPartial ? "forced" : "result"
  return [opened, called, [kind, null, of.result, of.resultTokens, tookSeconds]]
}
