import {
  type Activity,
  commandOf,
  editOf,
  ended,
  grepOf,
  readOf,
  type Step,
  started,
  step,
  subAgentOf,
  tokens,
} from "./steps.ts"

/** A few words at a time, as a model writes, then the whole as a message. */
function streamText(text: string, parentId?: string): readonly Step[] {
  const parent = parentId === undefined ? {} : { parentId }
  const pieces = text.match(/(?:\S+\s*){1,3}/g) ?? []
  return [
    ...pieces.map((it) => step(70, { event: "text.delta", text: it, ...parent })),
    step(40, { event: "message", type: "assistant", text, ...parent }),
  ]
}

type Result = Parameters<typeof ended>[2]

const done = (ms: number, activity: Activity, result: Result): readonly Step[] => [
  started(250, activity),
  ended(ms, activity.activityId, { durationMs: ms, ...result }),
]

const usage = (used: number, files: number, history: number): Step =>
  step(20, {
    event: "context.usage",
    used,
    window: 200_000,
    kinds: [
      { kind: "instructions", tokens: 6_140 },
      { kind: "files", tokens: files },
      { kind: "tools", tokens: 6_900 },
      { kind: "history", tokens: history },
    ],
  })

function cost(input: number, output: number, reportedUsd: number): Step {
  const usage = tokens(input, output)
  return step(20, { event: "cost", model: "synthetic-1", usage, isTotal: true, reportedUsd })
}

const ROUNDING_DIFF = `--- a/src/tariff/rounding.ts
+++ b/src/tariff/rounding.ts
@@ -21,4 +21,5 @@
 export function roundLine(amount: Milli, rule: Rule): Cents {
-  return rule.total ? amount : halfUp(amount);
+  // One rule for quotes and invoices: the line is the unit.
+  return halfEven(amount, rule.minorUnits);
 }
-export const addLines = (lines: Line[]) => halfEven(sum(lines));
+export const addLines = (lines: Line[]) => sum(lines.map(roundLine));
`

const EXPLANATION = `Quotes round every line half up; invoices add first and round the total half even. With two lines ending in half a cent the sums differ.

| | a line | the total |
|---|---|---|
| quote | half up | sum of rounded lines |
| invoice | not rounded | half even |

\`\`\`mermaid
flowchart LR
  lines --> quote[round each, then add]
  lines --> invoice[add, then round]
  quote -. differ by a cent .- invoice
\`\`\`

I round lines the same way in both places and leave the exported signatures as they are.`

/** True whether or not the tests were allowed to run. */
const LAST_WORDS =
  "Quotes and invoices round by one rule now; the change is in src/tariff/rounding.ts."

const TEST = commandOf("test-1", "npm test -- src/tariff")

/** The demo of the first visit to the console: it asks for one approval, and waits. */
export function demo(): readonly Step[] {
  const inside = { parentId: "agent-1" }
  return [
    step(300, { event: "context.file", path: "CLAUDE.md", reason: "instructions", tokens: 1_420 }),
    usage(14_100, 0, 1_060),
    ...streamText("I will check where quotes and invoices round."),
    ...done(700, readOf("read-1", "src/tariff/quote.ts"), {
      output: "export function quoteTotal(lines: Line[]): Cents {\n  return lines.map(roundLine)…",
      tokens: 4_812,
    }),
    ...done(600, readOf("read-2", "src/tariff/rounding.ts"), {
      output: "export function roundLine(amount: Milli, rule: Rule): Cents {",
      tokens: 1_204,
    }),
    cost(16_400, 210, 0.06),
    started(300, subAgentOf("agent-1", "Which callers depend on per-line rounding?")),
    ...done(
      800,
      { ...grepOf("search-1", "roundLine"), ...inside },
      {
        output: "src/tariff/quote.ts:18\nsrc/tariff/invoice.ts:31",
        tokens: 310,
      },
    ),
    ...done(
      700,
      { ...readOf("read-3", "src/tariff/invoice.ts"), ...inside },
      {
        output: "return addLines(lines)",
        tokens: 4_390,
      },
    ),
    ...streamText("Two callers; only the invoice adds before it rounds.", "agent-1"),
    ended(200, "agent-1", {
      output: "Two callers: quote.ts line 18 and invoice.ts line 31.",
      durationMs: 3_400,
      tokens: 9_800,
    }),
    usage(24_900, 10_400, 1_460),
    ...streamText(EXPLANATION),
    ...done(500, editOf("edit-1", "src/tariff/rounding.ts"), {
      output: "Edited",
      diff: ROUNDING_DIFF,
      tokens: 240,
    }),
    cost(41_800, 980, 0.17),
    usage(26_400, 10_640, 2_720),
    ...streamText("The change is done. May I run the tariff tests?"),
    step(200, {
      event: "approval.requested",
      approvalId: "demo-1",
      activityId: TEST.activityId,
      tool: "Bash",
      title: `Run ${TEST.title}`,
      input: TEST.input ?? "",
    }),
    ...done(1_800, TEST, { output: "42 passed, 0 failed", tokens: 120 }),
    cost(58_300, 1_240, 0.24),
    usage(27_100, 10_640, 3_420),
    ...streamText(LAST_WORDS),
    step(40, { event: "turn.ended", outcome: "completed", text: LAST_WORDS, turns: 6 }),
  ]
}
