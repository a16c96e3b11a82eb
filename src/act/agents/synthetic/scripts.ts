import { z } from "zod"
import { parseJsonRecord } from "#ground/base"
import { AgentEvent } from "#ground/contract"
import { ScriptInvalid, ScriptUnknown } from "../errors.ts"
import { titleLine } from "../wire/tool-text.ts"
import { demo } from "./demo.ts"
import {
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

const streamText = (text: string): readonly Step[] => [
  ...words(text).map((it) => step(15, { event: "text.delta", text: it })),
  step(5, { event: "message", type: "assistant", text }),
]

function words(text: string): readonly string[] {
  return text.match(/\S+\s*/g) ?? []
}

const cost = (usage: ReturnType<typeof tokens>, reportedUsd: number): Step =>
  step(5, { event: "cost", usage, isTotal: true, reportedUsd })

const TOTAL_DIFF = `--- a/src/total.ts
+++ b/src/total.ts
@@ -1,3 +1,4 @@
 export function total(prices: readonly number[]): number {
-  return prices.reduce((sum, price) => sum + price)
+  // An empty list has no first price to begin with.
+  return prices.reduce((sum, price) => sum + price, 0)
 }
`

/** A turn without failures: reading, a sub-agent, an edit, a test. */
function happy(): readonly Step[] {
  const inside = { parentId: "agent-1" }
  const text = "The total of an empty list is now 0, and the tests pass."
  return [
    step(20, { event: "context.file", path: "CLAUDE.md", reason: "instructions", tokens: 412 }),
    step(20, { event: "context.usage", used: 11_800, window: 200_000, kinds: [] }),
    ...streamText("I will look at the failing test first."),
    started(30, readOf("read-1", "src/total.ts")),
    ended(40, "read-1", {
      output: "export function total(prices: readonly number[]): number {",
      durationMs: 40,
    }),
    started(30, subAgentOf("agent-1", "Find who calls total")),
    started(30, { ...grepOf("search-1", "total"), ...inside }),
    ended(40, "search-1", { output: "src/cart.ts:14: return total(prices)" }),
    step(20, { event: "message", type: "assistant", text: "One caller, in the cart.", ...inside }),
    ended(20, "agent-1", {
      output: "One caller: src/cart.ts line 14.",
      durationMs: 110,
      tokens: 1_840,
    }),
    started(30, editOf("edit-1", "src/total.ts")),
    ended(40, "edit-1", { diff: TOTAL_DIFF }),
    started(30, commandOf("test-1", "npm test")),
    step(60, { event: "activity.updated", activityId: "test-1", output: "12 tests\n" }),
    ended(60, "test-1", { output: "12 tests, 12 passed\n", durationMs: 120 }),
    step(20, {
      event: "context.usage",
      used: 14_250,
      window: 200_000,
      kinds: [
        { kind: "instructions", tokens: 6_100 },
        { kind: "tools", tokens: 5_300 },
        { kind: "history", tokens: 2_850 },
      ],
    }),
    ...streamText(text),
    step(5, {
      event: "cost",
      model: "synthetic-1",
      usage: tokens(14_250, 620),
      isTotal: true,
      reportedUsd: 0.0521,
    }),
    step(5, { event: "turn.ended", outcome: "completed", text, turns: 5 }),
  ]
}

function approvals(): readonly Step[] {
  return [
    ...streamText("I will change one file, then run the tests."),
    ...approvalSteps(
      { id: "edit-1", kind: "edit", tool: "Edit", title: "Edit src/total.ts" },
      TOTAL_DIFF,
    ),
    ...approvalSteps({ id: "run-1", kind: "command", tool: "Bash", title: "npm test" }),
    ...streamText("That was all."),
    cost(tokens(9_000, 210), 0.03),
    step(5, { event: "turn.ended", outcome: "completed", text: "That was all." }),
  ]
}

type Question = {
  readonly id: string
  readonly kind: "edit" | "command"
  readonly tool: string
  readonly title: string
}

function approvalSteps(
  { id: activityId, kind, tool, title }: Question,
  diff?: string,
): readonly Step[] {
  const input = JSON.stringify({ about: title })
  const approvalId = `ask-${activityId}`
  return [
    started(30, { activityId, kind, tool, title, input }),
    step(10, { event: "approval.requested", approvalId, activityId, tool, title, input }),
    ended(30, activityId, { output: "done", diff }),
  ]
}

/** A turn that fails: first a retry, then the provider refuses. */
function error(): readonly Step[] {
  return [
    ...streamText("I begin."),
    step(20, { event: "error", message: "The model did not respond (529); retry 1 of 2 follows." }),
    step(50, {
      event: "turn.ended",
      outcome: "failed",
      error: "The provider is overloaded.",
      durationMs: 70,
    }),
  ]
}

/** The window fills up and the host compacts it. */
function compaction(): readonly Step[] {
  const window = { event: "context.usage", window: 200_000 } as const
  const sizes = { tokensBefore: 191_000, tokensAfter: 24_500 }
  return [
    step(20, { ...window, used: 162_000 }),
    ...streamText("There is a lot to read."),
    step(20, { ...window, used: 191_000 }),
    step(60, { event: "context.compacted", trigger: "auto", ...sizes }),
    step(10, { ...window, used: 24_500 }),
    ...streamText("I continue with what matters."),
    cost(tokens(215_500, 1_100), 0.71),
    step(5, { event: "turn.ended", outcome: "completed", text: "I continue with what matters." }),
  ]
}

/** Thousands of events, to test that lists stay fast. */
function long(): readonly Step[] {
  const rounds = Array.from({ length: 1_000 }, (_, round) => {
    const activityId = `step-${round + 1}`
    const title = `Read part-${round + 1}.txt`
    return [
      step(1, { event: "text.delta", text: `Part ${round + 1}. ` }),
      step(1, { event: "message", type: "assistant", text: `Part ${round + 1}.` }),
      started(1, { activityId, kind: "read", tool: "Read", title }),
      ended(1, activityId, { output: `${round + 1}` }),
    ]
  })
  return [
    ...rounds.flat(),
    step(1, { event: "cost", usage: tokens(90_000, 9_000), isTotal: true }),
    step(1, { event: "turn.ended", outcome: "completed", text: "I have read all parts." }),
  ]
}

export function echo(text: string): readonly Step[] {
  const reply = `You said: ${text}`
  return [
    ...words(reply.slice(0, 400)).map((it) => step(5, { event: "text.delta", text: it })),
    step(5, { event: "message", type: "assistant", text: reply }),
    step(0, { event: "cost", usage: tokens(text.length, reply.length), isTotal: false }),
    step(5, { event: "turn.ended", outcome: "completed", text: reply }),
  ]
}

export const SCRIPTS: ReadonlyMap<string, () => readonly Step[]> = new Map([
  ["happy", happy],
  ["approvals", approvals],
  ["error", error],
  ["compaction", compaction],
  ["long", long],
  ["demo", demo],
])

const MAX_STEPS = 100_000

/** More than an hour between two events is probably a wrong unit. */
const After = z.number().nonnegative().max(3_600_000).default(0)

export function readScript(script: string): readonly Step[] {
  if (script.trimStart().startsWith("{")) return parseScript(script)
  const name = script.trim()
  const shipped = SCRIPTS.get(name)
  if (shipped === undefined)
    throw ScriptUnknown({ name: titleLine(name), names: [...SCRIPTS.keys()] })
  return shipped()
}

function parseScript(text: string): readonly Step[] {
  const lines = text.split("\n")
  if (lines.length > MAX_STEPS) {
    throw ScriptInvalid({ line: MAX_STEPS + 1, problem: `more than ${MAX_STEPS} lines` })
  }
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [parseStep(line, index + 1)]))
}

function parseStep(text: string, line: number): Step {
  const record = parseJsonRecord(text)
  if (record === undefined) throw ScriptInvalid({ line, problem: "not a JSON object" })
  const after = After.safeParse(record["after"])
  if (!after.success)
    throw ScriptInvalid({ line, problem: "`after` is not a time in milliseconds" })
  const event = AgentEvent.safeParse(record)
  if (event.success) return { afterMs: after.data, event: event.data }
  const [issue] = event.error.issues
  const problem = titleLine(`${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`)
  throw ScriptInvalid({ line, problem })
}
