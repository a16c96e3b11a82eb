import type { Branch } from "../src/contract.ts"
import { WORLD_NOW } from "./fake-world.ts"

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

type Made = Partial<Branch> & Pick<Branch, "id" | "description">

/** A branch that returned as it should, unless it is said otherwise. */
export function branch(given: Made, startedMinutesAgo: number, tookSeconds: number): Branch {
  const createdAt = WORLD_NOW - startedMinutesAgo * MINUTE_MS
  const isLive = given.status === "active"
  const used = given.budgetUsed ?? 4_000
  const resultTokens = given.resultTokens ?? (isLive ? 0 : 160)
  const timeoutSeconds = given.timeoutSeconds ?? 300
  return {
    sessionId: "s-claude-31",
    parentId: null,
    depth: 0,
    children: 0,
    prompt: `${given.description}\n\nRead what is needed, change nothing. Return what you found in a few sentences.`,
    scope: [],
    client: "claude-code 2.1.207",
    mode: "sub-agent",
    budgetTotal: 8_192,
    budgetUsed: used,
    isLowerBound: false,
    timeoutSeconds,
    deadlineAt: createdAt + timeoutSeconds * SECOND_MS,
    status: "completed",
    endReason: isLive ? null : "returned",
    isPartial: false,
    result: isLive ? null : "Done as asked; nothing else was touched.",
    resultTokens,
    error: null,
    evidence: [],
    files: [],
    openQuestions: [],
    outOfScope: [],
    progress: null,
    touchedPaths: [],
    injectedMemoryIds: [],
    distillation: null,
    redactions: 0,
    tokensKeptOut: Math.max(0, used - resultTokens),
    createdAt,
    completedAt: isLive ? null : createdAt + tookSeconds * SECOND_MS,
    isArchived: false,
    ...given,
  }
}

export const RESULT = `Seven callers. Five pass a single line and do not care. Two add lines afterwards: \`invoiceTotal\` and \`quoteTotal\`; only these can drift apart.

Eleven snapshots pin rounded totals; three of them pin the wrong cent. Handbook 7.3 prescribes half-even **on the line**.`

const FORCED =
  "Ended at its time. Last note: the errata list page 12 to 19, section 7.3 not reached. Touched: docs/tariffs.md. Spent: 2,900 tokens."

/** The branches of one session, in the order of the tree. */
export const CLAUDE: readonly Branch[] = [
  branch(
    {
      id: "fb_01callers",
      description: "Which callers depend on per-line rounding?",
      children: 2,
      budgetTotal: 12_000,
      budgetUsed: 9_812,
      scope: ["src/tariff/**", "src/invoice/**"],
      result: RESULT,
      resultTokens: 412,
      evidence: [
        "src/invoice/invoice.ts:88 adds lines after they were rounded",
        "src/tariff/quote.ts:41 rounds the sum",
        "test/rounding.test.ts pins 11 totals, 3 of them differ from the handbook",
      ],
      files: ["src/invoice/invoice.ts", "src/tariff/quote.ts"],
      touchedPaths: ["src/invoice/invoice.ts", "src/tariff/quote.ts", "docs/tariffs.md"],
      outOfScope: ["docs/tariffs.md"],
      openQuestions: ["Are the three wrong snapshots relied on by the export to the tax office?"],
      injectedMemoryIds: ["mem_01halfcents", "mem_09gone"],
      distillation: "done",
      redactions: 1,
    },
    24,
    82,
  ),
  branch(
    {
      id: "fb_02snapshots",
      parentId: "fb_01callers",
      depth: 1,
      description: "List snapshot tests that pin totals",
      budgetUsed: 4_100,
      resultTokens: 188,
    },
    23,
    30,
  ),
  branch(
    {
      id: "fb_03handbook",
      parentId: "fb_01callers",
      depth: 1,
      children: 1,
      description: "Does the handbook prescribe a rounding?",
      budgetUsed: 6_300,
      resultTokens: 240,
    },
    22.9,
    24,
  ),
  branch(
    {
      id: "fb_04errata",
      parentId: "fb_03handbook",
      depth: 2,
      description: "Find the errata of section 7.3",
      budgetTotal: 4_096,
      budgetUsed: 2_900,
      timeoutSeconds: 20,
      status: "timeout",
      endReason: "timeout",
      isPartial: true,
      result: FORCED,
      resultTokens: 120,
      progress: "the errata list page 12 to 19, section 7.3 not reached",
      touchedPaths: ["docs/tariffs.md"],
    },
    22.7,
    20,
  ),
  branch(
    {
      id: "fb_05currencies",
      description: "Which currencies have no decimals?",
      budgetUsed: 8_180,
      status: "failed",
      endReason: "budget",
      isPartial: true,
      result: "Ended at its budget. Known so far: JPY, KRW and ISK have none.",
      resultTokens: 190,
      error: "a charge would have passed its budget of 8,192 tokens",
      mode: "handle",
    },
    14,
    41,
  ),
  branch(
    {
      id: "fb_06changelog",
      description: "Draft the changelog entry",
      budgetTotal: 4_096,
      budgetUsed: 900,
      status: "cancelled",
      endReason: "parent-returned",
      isPartial: true,
      resultTokens: 148,
      mode: "handle",
    },
    12,
    6,
  ),
  branch(
    {
      id: "fb_07october",
      description: "Try half-even on the invoices of October",
      children: 2,
      budgetTotal: 16_384,
      budgetUsed: 13_400,
      timeoutSeconds: 600,
      status: "active",
      progress: "1,240 of 2,140 invoices compared, 3 differ by one cent",
      tokensKeptOut: 13_400,
      mode: "handle",
    },
    2,
    0,
  ),
  branch(
    {
      id: "fb_08fixture",
      parentId: "fb_07october",
      depth: 1,
      description: "Load 2,140 invoice lines as a fixture",
      budgetUsed: 5_200,
      resultTokens: 314,
    },
    1.7,
    22,
  ),
  branch(
    {
      id: "fb_09group",
      parentId: "fb_07october",
      depth: 1,
      description: "Group the lines that still differ",
      budgetTotal: 4_096,
      budgetUsed: 800,
      status: "active",
      tokensKeptOut: 800,
    },
    0.3,
    0,
  ),
]

const CODEX = { sessionId: "s-codex-8", client: "codex-mcp-client 0.139", mode: "none" } as const

export const OTHER: readonly Branch[] = [
  branch(
    {
      ...CODEX,
      id: "fb_10hostile",
      description: "Read \u202Egpj.exe <img src=x onerror=alert(1)> and report",
      isLowerBound: true,
      budgetUsed: 3_140,
      tokensKeptOut: 0,
      result: "It is a text file. <script>alert(1)</script> stands in it \u2066as text\u2069.",
      client: CODEX.client,
    },
    50,
    64,
  ),
  branch(
    {
      ...CODEX,
      id: "fb_11long",
      description:
        "Compare the surcharge for vessels over 300 tons in the handbook of 2024 with the one of 2026, line by line, and say which of the forty stations are billed differently since then",
      isLowerBound: true,
      budgetUsed: 1_900,
      tokensKeptOut: 0,
      status: "cancelled",
      endReason: "session-ended",
      isPartial: true,
    },
    48,
    120,
  ),
]

/** So many that nobody scrolls through them: they ended long ago. */
export const MANY: readonly Branch[] = Array.from({ length: 1_200 }, (_, i) =>
  branch(
    {
      id: `fb_old${String(i).padStart(4, "0")}`,
      sessionId: "s-nightly",
      client: null,
      description: `Check station ${i + 1} of 1,200`,
      budgetUsed: 1_000 + ((i * 37) % 6_000),
      mode: "wire",
      isArchived: true,
    },
    900 + i,
    20 + (i % 60),
  ),
)
