import { z } from "zod"
import { Memory, MemoryKind, MemoryRecorded, MemorySearch } from "#ground/contract"
import { MOST_SUMMARY_ROWS } from "../limits.ts"
import { meterBody, sayBody } from "./body.ts"
import { sayFound, sayRemembered } from "./say-memory.ts"
import { ask, BODY, defineTool, session_id } from "./tool.ts"

const shown = { id: z.string(), kind: z.string(), title: z.string(), confidence: z.number() }

export const memorySearch = defineTool({
  name: "memory_search",
  set: "core",
  title: "Search memories",
  description:
    "What was decided, learned or fixed here before, by what it is about. Tell memory_feedback whether it helped.",
  annotations: { readOnlyHint: true },
  input: z.strictObject({
    query: z.string().min(1).max(10_000),
    kind: MemoryKind.optional(),
    limit: z.int().min(1).max(MOST_SUMMARY_ROWS).optional().describe("Default 10"),
    session_id,
  }),
  output: z.object({
    memories: z.array(z.object({ ...shown, state: z.string() })),
    total: z.int().describe("All that are kept"),
    ...BODY,
  }),
  async call(input, call) {
    const { found, total } = MemorySearch.parse(
      await ask(call, "memory.search", {
        words: input.query,
        kind: input.kind,
        limit: input.limit,
        sessionId: input.session_id,
      }),
    )
    const body = await meterBody(
      {
        tool: "memory_search",
        given: input,
        label: "memories found",
        text: sayFound(found, total),
        isUntrusted: found.some(({ memory }) => memory.source.isUntrusted),
      },
      call,
    )
    const memories = found.map(({ memory: { id, kind, title, confidence, state } }) => ({
      id,
      kind,
      title,
      confidence,
      state,
    }))
    return { text: sayBody(body), fields: { memories, total, ...body } }
  },
})

export const memoryRecord = defineTool({
  name: "memory_record",
  set: "core",
  title: "Remember something",
  description:
    "Keep one thing that later work here should know and the code does not say: a strategy, pitfall, decision, rule, term or fix. Not what happened, but what holds.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: z.strictObject({
    kind: MemoryKind,
    title: z.string(),
    body: z.string(),
    description: z.string().optional().describe("In one line"),
    cites: z
      .array(z.string().max(4_500))
      .max(20)
      .optional()
      .describe("Code it rests on: path or path#symbol"),
    branch_id: z.string().max(200).optional().describe("When return asked for it"),
    untrusted: z.boolean().optional().describe("It rests on a web page, an issue or the like"),
    supersedes: z.string().max(200).optional().describe("Id of the memory it replaces"),
    session_id,
  }),
  output: z.object({
    ...shown,
    outcome: z.enum(["recorded", "duplicate"]),
    file: z.string(),
    redactions: z.int(),
    notice: BODY.notice,
  }),
  async call(input, call) {
    const { outcome, memory, redactions } = MemoryRecorded.parse(
      await ask(call, "memory.record", {
        kind: input.kind,
        title: input.title,
        body: input.body,
        description: input.description,
        cites: input.cites,
        branchId: input.branch_id,
        untrusted: input.untrusted,
        supersedes: input.supersedes,
        sessionId: input.session_id,
      }),
    )
    const { id, kind, title, confidence, file } = memory
    const text =
      outcome === "recorded"
        ? `Remembered as ${id}, in ${file}.`
        : `${id} says this already: ${title}.`
    const { notice } = await meterBody(
      { tool: "memory_record", given: input, label: "memory recorded", text },
      call,
    )
    return {
      text: sayBody({ text, ...(notice !== undefined && { notice }) }),
      fields: { id, kind, title, confidence, outcome, file, redactions, notice },
    }
  },
})

export const memoryFeedback = defineTool({
  name: "memory_feedback",
  set: "core",
  title: "Say whether a memory helped",
  description:
    "Say whether a memory was helpful, and how the task ended in which it was used. Confidence is computed from this.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  input: z.strictObject({
    id: z.string().max(200),
    verdict: z.enum(["helpful", "unhelpful"]).optional(),
    outcome: z.enum(["succeeded", "failed"]).optional().describe("Of the task"),
    session_id,
  }),
  output: z.object({ ...shown, state: z.string(), notice: BODY.notice }),
  async call(input, call) {
    const { id, kind, title, confidence, state } = Memory.parse(
      await ask(call, "memory.feedback", {
        id: input.id,
        verdict: input.verdict,
        outcome: input.outcome,
        sessionId: input.session_id,
      }),
    )
    const text = sayRemembered({ id, title, confidence, state })
    const { notice } = await meterBody(
      { tool: "memory_feedback", given: input, label: "memory feedback", text },
      call,
    )
    return {
      text: sayBody({ text, ...(notice !== undefined && { notice }) }),
      fields: { id, kind, title, confidence, state, notice },
    }
  },
})
