import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { AgentEvent } from "#ground/contract"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { checkTranscriptResumable } from "../resumable.ts"
import { lookAt } from "./look.ts"
import { readHostSession } from "./read.ts"

const PLAIN = { redact: (text: string) => text, redactJson: (value: unknown) => value }

/** Words that mean something to a reader, and some that mean something to JavaScript. */
const WORDS = (
  "user assistant system attachment cost-state summary session_meta event_msg response_item " +
  "turn_context compacted item_completed task_started task_complete turn_aborted token_count " +
  "function_call function_call_output tool_use tool_result text type message content payload item id " +
  "call_id name input arguments output subtype compact_boundary compactMetadata modelUsage info " +
  "toolUseResult agentId permissionDecision decision changes command duration timestamp sessionId cwd " +
  "AgentMessage CommandExecution FileChange UserMessage McpToolCall structuredPatch filePath usage " +
  "origin stop_reason end_turn isMeta __proto__ constructor toString __defineGetter__ hasOwnProperty"
).split(" ")

const word = fc.constantFrom(...WORDS)
const leaf = fc.oneof(word, fc.string(), fc.double(), fc.boolean(), fc.constant(null))
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 9, arbitrary: word }, { weight: 1, arbitrary: fc.string() }),
      tie("value"),
      { maxKeys: 8 },
    ),
  ),
}))
const typed = fc.tuple(word, word, value).map(([type, inner, it]) => {
  const fields = typeof it === "object" && it !== null ? it : { content: it }
  return { payload: { type: inner, ...fields }, message: fields, ...fields, type }
})
const line = fc.oneof(
  { weight: 6, arbitrary: typed.map((it) => JSON.stringify(it)) },
  { weight: 2, arbitrary: value.map((it) => JSON.stringify(it)) },
  { weight: 1, arbitrary: fc.string() },
)
const structured = fc.array(line, { maxLength: 30 }).map((it) => Buffer.from(`${it.join("\n")}\n`))
const bytes = fc.uint8Array({ maxLength: 2_000 }).map((it) => Buffer.from(it))

for (const host of ["claude-code", "codex"] as const) {
  test(`[AGENTS-55] F1: no bytes make reading ${host} throw or hang, and all it gives is of the vocabulary`, async () => {
    await using temp = await tempDirectory()
    const file = join(temp.path, "session.jsonl")
    const it = { host, sessionId: "s", file }
    const property = fc.asyncProperty(fc.oneof(structured, bytes), async (given) => {
      await writeFile(file, given)
      const pages = await all(readHostSession(it, PLAIN))
      for (const { draft } of pages.flatMap((page) => page.drafts)) {
        expect(AgentEvent.safeParse(draft.metadata["event"]).success).toBe(true)
        expect(draft.content.isWellFormed()).toBe(true)
      }
      const until = pages.at(-1)?.until
      expect(until?.offset).toBe(given.lastIndexOf(0x0a) + 1)
      const again = await all(readHostSession(it, { ...PLAIN, after: until }))
      expect(again.flatMap((page) => page.drafts)).toEqual([])
      await lookAt(it, PLAIN.redact)
      expect(await checkTranscriptResumable(host, file)).toBeTypeOf("boolean")
    })
    await fc.assert(property, fcParameters({ numRuns: 1_500, nightRuns: 20_000 }))
  }, 120_000)
}

/** `Array.fromAsync`, which the oldest Node we run on does not have. */
async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}
