import type { z } from "zod"
import { AgentEvent } from "#ground/contract"
import type { Step } from "./scripts.ts"

type Loose = z.input<typeof AgentEvent>

const step = (afterMs: number, event: Loose): Step => ({ afterMs, event: AgentEvent.parse(event) })

/** As a model writes: a few words at a time, then the whole as a message. */
const said = (text: string, parentId?: string): readonly Step[] => [
  ...(text.match(/(?:\S+\s*){1,3}/g) ?? []).map((it) =>
    step(70, { event: "text.delta", text: it, ...(parentId === undefined ? {} : { parentId }) }),
  ),
  step(40, {
    event: "message",
    type: "assistant",
    text,
    ...(parentId === undefined ? {} : { parentId }),
  }),
]

type Activity = Omit<Extract<Loose, { event: "activity.started" }>, "event">
type Result = Partial<Omit<Extract<Loose, { event: "activity.ended" }>, "event" | "activityId">>

const done = (
  ms: number,
  activity: Activity,
  { output = "", ...result }: Result,
): readonly Step[] => [
  step(250, { event: "activity.started", ...activity }),
  step(ms, {
    event: "activity.ended",
    activityId: activity.activityId,
    outcome: "done",
    durationMs: ms,
    output,
    ...result,
  }),
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

const cost = (input: number, output: number, usd: number): Step =>
  step(20, {
    event: "cost",
    model: "synthetic-1",
    usage: { input, output, cacheRead: 0, cacheWrite: 0 },
    isTotal: true,
    reportedUsd: usd,
  })

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

const EXPLANATION = `Quotes round every line half up; invoices add first and round the total half even. With two lines ending in half a cent the sums part.

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

/** A story for whoever opens the console for the first time: it asks one thing, and waits. */
export function demo(): readonly Step[] {
  return [...reading(), ...searching(), ...editing(), ...asking()]
}

function reading(): readonly Step[] {
  return [
    step(300, { event: "context.file", path: "CLAUDE.md", reason: "instructions", tokens: 1_420 }),
    usage(14_100, 0, 1_060),
    ...said("I look at where quotes and invoices round."),
    ...done(
      700,
      {
        activityId: "read-1",
        kind: "read",
        tool: "Read",
        title: "Read src/tariff/quote.ts",
        input: JSON.stringify({ file_path: "src/tariff/quote.ts" }),
        path: "src/tariff/quote.ts",
      },
      {
        output:
          "export function quoteTotal(lines: Line[]): Cents {\n  return lines.map(roundLine)…",
        tokens: 4_812,
      },
    ),
    ...done(
      600,
      {
        activityId: "read-2",
        kind: "read",
        tool: "Read",
        title: "Read src/tariff/rounding.ts",
        input: JSON.stringify({ file_path: "src/tariff/rounding.ts" }),
        path: "src/tariff/rounding.ts",
      },
      { output: "export function roundLine(amount: Milli, rule: Rule): Cents {", tokens: 1_204 },
    ),
    cost(16_400, 210, 0.06),
  ]
}

function searching(): readonly Step[] {
  const inside = { parentId: "agent-1" }
  return [
    step(300, {
      event: "activity.started",
      activityId: "agent-1",
      kind: "agent",
      tool: "Agent",
      title: "Which callers depend on per-line rounding?",
      input: JSON.stringify({ prompt: "Which callers depend on per-line rounding?" }),
    }),
    ...done(
      800,
      {
        activityId: "search-1",
        ...inside,
        kind: "search",
        tool: "Grep",
        title: "Grep roundLine(",
        input: JSON.stringify({ pattern: "roundLine\\(" }),
      },
      { output: "src/tariff/quote.ts:18\nsrc/tariff/invoice.ts:31", tokens: 310 },
    ),
    ...done(
      700,
      {
        activityId: "read-3",
        ...inside,
        kind: "read",
        tool: "Read",
        title: "Read src/tariff/invoice.ts",
        input: JSON.stringify({ file_path: "src/tariff/invoice.ts" }),
        path: "src/tariff/invoice.ts",
      },
      { output: "return addLines(lines)", tokens: 4_390 },
    ),
    ...said("Two callers; only the invoice adds before it rounds.", "agent-1"),
    step(200, {
      event: "activity.ended",
      activityId: "agent-1",
      outcome: "done",
      output: "Two callers: quote.ts line 18 and invoice.ts line 31.",
      durationMs: 3_400,
      tokens: 9_800,
    }),
    usage(24_900, 10_400, 1_460),
    ...said(EXPLANATION),
  ]
}

function editing(): readonly Step[] {
  return [
    ...done(
      500,
      {
        activityId: "edit-1",
        kind: "edit",
        tool: "Edit",
        title: "Edit src/tariff/rounding.ts",
        input: JSON.stringify({ file_path: "src/tariff/rounding.ts" }),
        path: "src/tariff/rounding.ts",
      },
      { output: "Edited", diff: ROUNDING_DIFF, tokens: 240 },
    ),
    cost(41_800, 980, 0.17),
    usage(26_400, 10_640, 2_720),
  ]
}

function asking(): readonly Step[] {
  return [
    ...said("The change is made. May I run the tests of the tariff?"),
    step(200, {
      event: "approval.requested",
      approvalId: "demo-1",
      activityId: "test-1",
      tool: "Bash",
      title: "Run npm test -- src/tariff",
      input: JSON.stringify({ command: "npm test -- src/tariff" }),
    }),
    ...done(
      1_800,
      {
        activityId: "test-1",
        kind: "command",
        tool: "Bash",
        title: "npm test -- src/tariff",
        input: JSON.stringify({ command: "npm test -- src/tariff" }),
      },
      { output: "42 passed, 0 failed", tokens: 120 },
    ),
    cost(58_300, 1_240, 0.24),
    usage(27_100, 10_640, 3_420),
    ...said(LAST_WORDS),
    step(40, {
      event: "turn.ended",
      outcome: "completed",
      text: LAST_WORDS,
      turns: 6,
    }),
  ]
}
