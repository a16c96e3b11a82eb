import { writeFile } from "node:fs/promises"
import path from "node:path"
import type { Message, Run } from "#ground/contract"
import type { ConsoleFixture } from "../console-fixture.ts"
import { until } from "./until.ts"

type Caller = Pick<ConsoleFixture, "call">
export type RunSeed = Awaited<ReturnType<typeof seedRuns>>

/** The runs of a test setup, accessed by a client other than the browser. */
export function runsOf({ call }: Caller) {
  return {
    play: (prompt: string, events: readonly object[]) =>
      call("agents.start", { type: "synthetic", prompt, mode: "ask", script: scriptOf(events) }),
    list: async (): Promise<readonly Run[]> => (await call("agents.list", {})).runs,
    show: (id: string) => call("agents.show", { id }),
    edit: (id: string, change: object) => call("agents.edit", { id, ...change }),
    approvals: async (run: string) => (await call("agents.approvals", { run })).approvals,
    answer: (id: string, decision: "allow" | "deny") => call("agents.answer", { id, decision }),
    question: (run: string) =>
      until(async () => {
        const { approvals } = await call("agents.approvals", { run })
        return approvals.find((it) => it.status === "open")
      }),
    exportHtml: async (id: string) => {
      const { text } = await call("agents.export", { id, format: "html" })
      if (text === null) throw new Error("the export has no text")
      return text
    },
  }
}

export const scriptOf = (events: readonly object[]): string =>
  events.map((it) => JSON.stringify({ after: 0, ...it })).join("\n")

export const ENDED = { event: "turn.ended", outcome: "completed" }
export const say = (text: string, parentId?: string) => ({
  event: "message",
  type: "assistant",
  text,
  ...(parentId === undefined ? {} : { parentId }),
})
export const question = (id: string, command: string) => ({
  event: "approval.requested",
  approvalId: id,
  tool: "Bash",
  title: `Run ${command}`,
  input: JSON.stringify({ command }),
})

export async function seedRuns(fixture: ConsoleFixture) {
  const runs = runsOf(fixture)
  const tariff = await runs.play("Make quotes and invoices agree to the cent", TARIFF)
  const asking = await runs.play("Publish the tariffs", [question("push", PUSH), ENDED])
  const stopped = await runs.play("Rename the quays", [question("rename", "git mv a b"), ENDED])
  const shipped = (script: string, prompt: string) =>
    fixture.call("agents.start", { type: "synthetic", prompt, mode: "ask", script })
  const failed = await shipped("error", "Add a retry to the tide feed")
  const compacted = await shipped("compaction", "Read every tariff")
  const kinds = await runs.play("Show everything you can say", KINDS)
  for (const it of [tariff, asking, stopped]) await runs.question(it.id)
  await fixture.call("agents.stop", { id: stopped.id })
  await fixture.call("agents.send", { id: tariff.id, text: "Then update docs/tariff.md." })
  await runs.edit(failed.id, { label: ["tide feed"], workflow: "todo" })
  await runs.edit(asking.id, { label: ["release"] })
  await fixture.call("permissions.add", { decision: "allow", tool: "Bash", command: "npm test *" })
  await fixture.call("permissions.add", { decision: "deny", tool: "Edit", path: "migrations/**" })
  const [long] = await importRuns(fixture, { titles: ["Read 6,000 parts"], messages: 6_000 })
  if (long === undefined) throw new Error("nothing was imported")
  for (const { id } of [failed, compacted, kinds]) {
    await until(async () => (await runs.show(id)).endedAt ?? undefined)
  }
  return { tariff, asking, stopped, failed, compacted, kinds, long }
}

/** Too long for a row, so the approval must be opened before it can be allowed. */
const PUSH = `git push --force origin HEAD:main ${"--push-option=ci.skip ".repeat(12)}`

const activity = (activityId: string, given: object, ended: object): readonly object[] => [
  { event: "activity.started", activityId, ...given },
  { event: "activity.ended", activityId, outcome: "done", durationMs: 420, ...ended },
]

const read = (id: string, file: string, more: object = {}) =>
  activity(
    id,
    { kind: "read", tool: "Read", title: `Read ${file}`, path: file, ...more },
    { output: "export function quoteTotal(lines)", tokens: 1_204 },
  )

const DIFF = `--- a/src/tariff/rounding.ts
+++ b/src/tariff/rounding.ts
@@ -5,3 +5,3 @@
 /** Rounds one line of a quote or an invoice, half to even. */
-export function roundLine(amount: number) {
+export function roundLine(amount: number, rule: Rule): number {
   return divideHalfEven(amount, 10 ** rule.minorUnits)
`

const EXPLANATION = `**Quotes round every line**; invoices add first and round the total.

| | a line | the total |
|---|---|---|
| quote | half to even | sum of rounded lines |
| invoice | not rounded | half to even |

\`\`\`ts
const total = lines.reduce((sum, it) => sum + roundLine(it, rule), 0)
\`\`\``

const USAGE = { input: 41_800, output: 980, cacheRead: 12_000, cacheWrite: 0 }
const FILES = [
  { kind: "instructions", tokens: 6_140 },
  { kind: "files", tokens: 10_640 },
  { kind: "tools", tokens: 6_900 },
  { kind: "history", tokens: 2_720 },
]

/** An agent that reads, starts a sub-agent, explains, edits, and waits for an approval. */
const TARIFF: readonly object[] = [
  { event: "context.file", path: "CLAUDE.md", reason: "instructions", tokens: 1_420 },
  say("I will check where quotes and invoices round."),
  ...read("read-1", "src/tariff/quote.ts"),
  {
    event: "activity.started",
    activityId: "agent-1",
    kind: "agent",
    tool: "Agent",
    title: "Which callers depend on per-line rounding?",
  },
  ...read("read-2", "src/tariff/invoice.ts", { parentId: "agent-1" }),
  say("Two callers; only the invoice adds before it rounds.", "agent-1"),
  { event: "activity.ended", activityId: "agent-1", outcome: "done", durationMs: 3_400 },
  say(EXPLANATION),
  ...activity(
    "edit-1",
    { kind: "edit", tool: "Edit", title: "Edit rounding.ts", path: "src/tariff/rounding.ts" },
    { output: "Edited", diff: DIFF, tokens: 240 },
  ),
  { event: "cost", model: "synthetic-1", usage: USAGE, isTotal: true, reportedUsd: 0.17 },
  { event: "context.usage", used: 26_400, window: 200_000, kinds: FILES },
  question("test", "npm run check"),
  say("Quotes and invoices round by one rule now."),
  ENDED,
]

const KINDS: readonly object[] = [
  say("A list:\n\n1. rounds **twice**\n2. rounds once\n\n> A quote.\n\n[A link](https://a.test/b)"),
  say("```mermaid\nflowchart LR\n  quote --> invoice\n```"),
  { event: "message", type: "system", text: "The host says something of its own." },
  ...activity(
    "cmd",
    { kind: "command", tool: "Bash", title: "npm test", input: '{"command":"npm test"}' },
    { outcome: "failed", output: `${"a long line of output ".repeat(40)}\n1 failed` },
  ),
  { event: "mode.changed", mode: "edits", by: "console" },
  { event: "error", message: "The model did not respond (529); retry 1 of 2 follows." },
  { event: "context.compacted", trigger: "auto", tokensBefore: 191_000, tokensAfter: 24_500 },
  say("Everything was shown."),
  ENDED,
]

type ImportedRuns = { readonly titles: readonly string[]; readonly messages: number }

/**
 * Imported runs: one of ten messages is text of the agent, `Step n: …`, the others are files it
 * read.
 */
export async function importRuns(fixture: ConsoleFixture, { titles, messages }: ImportedRuns) {
  const { id } = await runsOf(fixture).play("A template", [ENDED])
  const run = await until(async () => {
    const shown = await runsOf(fixture).show(id)
    return shown.endedAt === null ? undefined : shown
  })
  await fixture.call("agents.delete", { id })
  const { mode, status, labels, cost } = run
  const lines = Array.from({ length: messages }, (_, at) => longMessage(at, run.createdAt))
  const imported: Run[] = []
  for (const title of titles) {
    const header = {
      format: "quartermaster-session",
      version: 1,
      messageCount: messages,
      usage: cost.usage,
      mode,
      status,
      labels,
      run: { ...run, title, prompt: title, isTitleOwn: true, lastSeq: messages },
    }
    const file = path.join(fixture.home, "session.jsonl")
    await writeFile(file, [header, ...lines].map((it) => `${JSON.stringify(it)}\n`).join(""))
    imported.push(await fixture.call("agents.import", { file }))
  }
  return imported
}

function longMessage(at: number, timestamp: number): Message {
  const seq = at + 1
  const common = { id: `msg_${seq}`, seq, timestamp: timestamp + at }
  const round = Math.floor(at / 10)
  if (at % 10 === 9) {
    const event = { event: "message", type: "assistant", text: "" }
    const content = `Step ${round}: this part is read, and nothing in it rounds.`
    return { ...common, type: "assistant", role: "assistant", content, metadata: { event } }
  }
  const activityId = `part-${Math.floor(at / 2)}`
  const title = `Read part-${round}.txt`
  const event =
    at % 2 === 0
      ? { event: "activity.started", activityId, kind: "read", tool: "Read", title, input: "" }
      : { event: "activity.ended", activityId, outcome: "done", output: "", durationMs: 3 }
  return { ...common, type: "tool", role: "tool", content: title, metadata: { event } }
}
