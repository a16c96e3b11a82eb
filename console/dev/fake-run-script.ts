import { activity, type Draft, draft, say, userTurn } from "./fake-run-drafts.ts"
import { WORLD_NOW } from "./fake-world.ts"

const ROUNDING = `--- a/src/tariff/rounding.ts
+++ b/src/tariff/rounding.ts
@@ -21,4 +21,5 @@
 export function roundLine(amount: Milli, rule: Rule): Cents {
-  return rule.total ? amount : halfUp(amount);
+  // One rule for quotes and invoices: the line is the unit (handbook 7.3).
+  return halfEven(amount, rule.minorUnits);
 }
-export const addLines = (lines: Line[]) => halfEven(sum(lines));
+export const addLines = (lines: Line[]) => sum(lines.map(roundLine));
`

const CONTEXT: Draft = {
  type: "context",
  role: "system",
  content: "# CLAUDE.md\n\nHarbour software.\n---",
  timestamp: WORLD_NOW - 371_800,
  metadata: {
    contextFileCount: 15,
    tokens: 16_981,
    window: 24_000,
    kinds: [
      { kind: "instructions", tokens: 6_127 },
      { kind: "knowledge", tokens: 3_140 },
      { kind: "memory", tokens: 1_212 },
      { kind: "tools", tokens: 5_656 },
      { kind: "history", tokens: 846 },
    ],
  },
}

/** The run of the mock-up: read, ask a branch, explain, edit, wait for a person. */
export function tariffRun(): Draft[] {
  return [...beginning(), ...reading(), ...branch(), ...changing()]
}

function beginning(): Draft[] {
  const tools = ["Read", "Edit", "Bash"]
  return [
    draft(100, { event: "session.started", sessionId: "ses-31", cwd: "/", model: "sonnet", tools }),
    CONTEXT,
    userTurn(
      400,
      "A quote and its invoice differ by a cent when a stay is split over two berths. Find out why, fix it, keep the public API.",
      [
        { label: "package pk_3, 9 files", tokens: 18_985, pack: "pk_3" },
        { label: "Date and state", tokens: 96 },
        { label: "Memories", tokens: 412 },
      ],
    ),
    draft(500, { event: "turn.started" }),
  ]
}

function reading(): Draft[] {
  const names = ["quote.ts", "invoice.ts", "rounding.ts", "rule.ts", "berth.ts"]
  return [
    ...names.flatMap((name, i) =>
      activity(`read-${name}`, [3_000 + i * 3_000, 1_200], {
        kind: "read",
        tool: "Read",
        title: `Read src/tariff/${name}`,
        input: JSON.stringify({ file_path: `src/tariff/${name}` }),
        path: `src/tariff/${name}`,
        output: "export type Rule = { readonly minorUnits: number }",
        tokens: 1_204 + i * 900,
      }),
    ),
    ...activity("search-1", [20_000, 900], {
      kind: "search",
      tool: "Grep",
      title: "Search halfUp(",
      output: "src/tariff/rounding.ts:22\nsrc/tariff/quote.ts:81",
      tokens: 240,
    }),
    draft(31_000, { event: "context.usage", used: 28_900, window: 200_000, kinds: [] }),
  ]
}

function changing(): Draft[] {
  const command = "npm run db:check -- --month 2026-10"
  const ask = { tool: "Bash", title: "Run a command", input: JSON.stringify({ command }) }
  return [
    say(
      180_000,
      "Quotes round every line half-up; invoices add first and round the total half-even. With two lines ending in half a cent the sums part. I will round lines the same way in both places and leave the exported signatures as they are.",
    ),
    ...activity("edit-1", [184_000, 2_000], {
      kind: "edit",
      tool: "Edit",
      title: "Edit src/tariff/rounding.ts",
      path: "src/tariff/rounding.ts",
      diff: ROUNDING,
    }),
    draft(240_000, { event: "approval.requested", approvalId: "ap_1", ...ask }, ask.title),
  ]
}

function branch(): Draft[] {
  const within = { kind: "agent", tool: "Task", parentId: "task-1" }
  const [started, ended] = activity("task-1", [76_000, 82_000], {
    kind: "agent",
    tool: "Task",
    title: "Which callers depend on per-line rounding?",
    output: "Two callers: quote.ts line 81, invoice.ts line 40.",
    tokens: 9_800,
  })
  if (started === undefined || ended === undefined) return []
  return [
    started,
    ...activity("task-1-1", [80_000, 24_000], {
      ...within,
      title: "List snapshot tests that pin totals",
      tokens: 4_100,
    }),
    ...activity("task-1-2", [110_000, 24_000], {
      ...within,
      title: "Does the handbook prescribe a rounding?",
      tokens: 6_300,
    }),
    say(150_000, "Two callers pin totals.", "task-1"),
    ended,
  ]
}

const MARKDOWN = `## What was found

The total is rounded **twice**: once in \`quote.ts\`, once in \`invoice.ts\`. See [the handbook](https://handbook.example/rounding) or [this](javascript:alert(1)).

| Place | Rule | Cents |
|---|---|---:|
| quote | half up | 12 |
| invoice | half even | 11 |

1. Round each line.
2. Add the lines.
   - keep the API
   - keep the tests

> Lines are the unit (handbook 7.3).

\`\`\`ts
export const addLines = (lines: readonly Line[]) => sum(lines.map(roundLine))
\`\`\`

![a picture](https://stranger.test/pixel.png)
`

/** Every kind of entry once. */
export function everyKindRun(): Draft[] {
  return [...saidAndDone(), ...toldAndEnded()]
}

function saidAndDone(): Draft[] {
  return [
    draft(50, { event: "session.started", sessionId: "ses-27", cwd: "/", tools: [] }),
    CONTEXT,
    userTurn(100, "Show me everything there is."),
    say(900, MARKDOWN),
    ...activity("cmd-1", [1_500, 2_400], {
      kind: "command",
      tool: "Bash",
      title: "npm test",
      input: JSON.stringify({ command: "npm test" }),
      output: `${"ok 12 tests in 1.2 s\n".repeat(30)}done`,
    }),
    ...activity("cmd-2", [5_000, 900], {
      kind: "command",
      tool: "Bash",
      title: "npm run lint",
      outcome: "failed",
      output: "src/total.ts:3 unexpected any",
    }),
    ...activity("fetch-1", [6_000, 100], {
      kind: "fetch",
      tool: "WebFetch",
      title: "Fetch https://tides.example/today",
      outcome: "denied",
    }),
  ]
}

function toldAndEnded(): Draft[] {
  return [
    draft(
      6_500,
      {
        event: "approval.requested",
        approvalId: "ap_x",
        tool: "Bash",
        title: "Run npm publish",
        input: "npm publish",
      },
      "Run npm publish",
    ),
    draft(7_000, {
      event: "approval.resolved",
      approvalId: "ap_x",
      decision: "deny",
      by: "console",
    }),
    draft(8_000, { event: "mode.changed", mode: "edits", by: "console" }),
    draft(9_000, {
      event: "context.compacted",
      trigger: "auto",
      tokensBefore: 162_000,
      tokensAfter: 41_000,
    }),
    { ...draft(9_500, { event: "x" }, "82 % of the budget is spent."), metadata: { budget: 0.82 } },
    draft(9_600, { event: "a.kind.of.tomorrow", what: "nobody knows" }, "A kind of tomorrow"),
    draft(
      10_000,
      { event: "error", message: "The model is overloaded.", isFatal: false },
      "The model is overloaded.",
    ),
    ...ending(),
  ]
}

function ending(): Draft[] {
  return [
    draft(10_400, {
      event: "cost",
      usage: { input: 14_250, output: 620, cacheRead: 0, cacheWrite: 0 },
      isTotal: true,
      reportedUsd: 0.0521,
    }),
    ...activity("cmd-3", [11_000, 0], {
      kind: "command",
      tool: "Bash",
      title: "npm run build",
      isOpen: true,
    }),
    draft(
      12_000,
      {
        event: "turn.ended",
        outcome: "completed",
        text: "",
        turns: 5,
        durationMs: 11_900,
        denials: 1,
      },
      "Everything was shown.",
    ),
  ]
}

const DIAGRAMS = [
  "graph LR\n  Quote --> Round[Round each line] --> Add[Add the lines]\n  Invoice --> Round",
  "sequenceDiagram\n  Quote->>Invoice: <img src=x onerror=alert(1)>",
  "graph LR\n  this is --- [ broken",
]

/** Diagrams, one of which is none. */
export function diagramRun(): Draft[] {
  return DIAGRAMS.map((source, i) => say(i * 1_000, `So:\n\n\`\`\`mermaid\n${source}\n\`\`\``))
}

/** A run that goes on for so many messages; message `i` is made when it is asked for. */
export function longRun(i: number): Draft {
  const at = i * 40
  const id = `long-${Math.floor(i / 2)}`
  switch (i % 10) {
    case 0:
      return say(
        at,
        `Step ${i / 10}: the berths of quay ${(i * 7) % 97} are sorted by **depth**, then by length. ${"The tide is taken from the table, not from the feed. ".repeat(i % 5)}`,
      )
    case 1:
      return draft(at, { event: "context.usage", used: i, window: 200_000, kinds: [] })
    case 8:
    case 9:
      return changed(i, at)
    default: {
      const isStart = i % 2 === 0
      const [started, ended] = activity(id, [at, 40], {
        kind: i % 20 < 10 ? "read" : "command",
        tool: i % 20 < 10 ? "Read" : "Bash",
        title: i % 20 < 10 ? `Read src/quay/berth-${i % 500}.ts` : `npm test -- --shard ${i % 40}`,
        input: JSON.stringify({ file_path: `src/quay/berth-${i % 500}.ts` }),
        output: `line ${i}\n`.repeat(1 + (i % 12)),
        tokens: 200 + (i % 900),
      })
      return (isStart ? started : ended) ?? say(at, "")
    }
  }
}

function changed(i: number, at: number): Draft {
  const [started, ended] = activity(`long-edit-${Math.floor(i / 10)}`, [at, 60], {
    kind: "edit",
    tool: "Edit",
    title: `Edit src/quay/berth-${i % 500}.ts`,
    path: `src/quay/berth-${i % 500}.ts`,
    diff: ROUNDING,
  })
  return (i % 10 === 8 ? started : ended) ?? say(at, "")
}

/** Each hostile text as something said, as a title with an output, and as a question's answer. */
export function hostileRun(payloads: readonly string[]): Draft[] {
  return payloads.flatMap((payload, i) => [
    say(i * 100, `${payload}\n\n[${payload}](${payload})\n\n\`\`\`\n${payload}\n\`\`\``),
    ...activity(`hostile-${i}`, [i * 100 + 10, 20], {
      kind: "command",
      tool: payload,
      title: payload,
      input: payload,
      output: payload,
      path: payload,
      diff: `--- a/${payload}\n+++ b/${payload}\n@@ -1 +1 @@\n-${payload}\n+${payload}`,
    }),
    draft(i * 100 + 40, { event: "mode.changed", mode: "edits", by: payload }, payload),
    draft(i * 100 + 50, { event: "error", message: payload, isFatal: false }, payload),
  ])
}
