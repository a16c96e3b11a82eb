import { z } from "zod"
import {
  Memory,
  MemoryForgotten,
  MemoryKind,
  MemoryList,
  MemoryRecorded,
  MemorySearch,
  MemoryState,
} from "../memory.ts"
import { defineOperations } from "../operation.ts"

const sessionId = z
  .string()
  .max(200)
  .optional()
  .describe("Session it belongs to; default: the caller itself")

const MemoryRef = { id: z.string().max(200) }

const Part = z.string().max(20_000)

const Place = z.string().min(1).max(4_096)

export const memoryOperations = defineOperations("memory", {
  search: {
    summary: "Find what this repository remembers about something, and why it matches",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["words"], group: "Know" },
    mcp: {
      set: "core",
      rank: 9,
      title: "Search memories",
      description:
        "What was decided, learned or fixed here before, by what it is about. Tell memory_feedback whether it helped.",
      fields: { query: "words", kind: "kind", limit: "limit" },
      texts: { query: "", limit: "Default 10" },
    },
    input: z.strictObject({
      words: z.string().min(1).max(10_000).describe("What it is about"),
      kind: MemoryKind.optional(),
      limit: z.int().min(1).max(100).default(10),
      sessionId,
    }),
    output: MemorySearch,
  },
  record: {
    summary: "Remember something about this repository, in a file of it",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["memory", "add"], args: ["title", "body"], group: "Know" },
    mcp: {
      set: "core",
      rank: 10,
      title: "Remember something",
      description:
        "Keep one thing that later work here should know and the code does not say: a strategy, pitfall, decision, rule, term or fix. Not what happened, but what holds.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      texts: {
        description: "In one line",
        cites: "Code it rests on: path or path#symbol",
        branch_id: "When return asked for it",
        untrusted: "It rests on a web page, an issue or the like",
        supersedes: "Id of the memory it replaces",
      },
    },
    input: z.strictObject({
      kind: MemoryKind,
      title: z.string(),
      description: z.string().default("").describe("In one line; default: the title"),
      body: z.string(),
      cites: z
        .array(z.string().max(4_500))
        .max(20)
        .default([])
        .describe("Code it rests on, as path or path#symbol"),
      branchId: z.string().max(200).optional().describe("Branch that was asked what to remember"),
      untrusted: z
        .boolean()
        .default(false)
        .describe("It rests on a web page, an issue or another text nobody here wrote"),
      supersedes: z
        .string()
        .max(200)
        .optional()
        .describe("Memory that this one takes the place of"),
      sessionId,
    }),
    output: MemoryRecorded,
  },
  feedback: {
    summary: "Say whether a memory was of use, and how the task went",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["id"], group: "Know" },
    mcp: {
      set: "core",
      rank: 11,
      title: "Say whether a memory helped",
      description:
        "Say whether a memory was helpful, and how the task ended in which it was used. Confidence is computed from this.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      texts: { outcome: "Of the task" },
    },
    input: z.strictObject({
      id: z.string().max(200),
      verdict: z.enum(["helpful", "unhelpful"]).optional(),
      outcome: z.enum(["succeeded", "failed"]).optional().describe("Of the task it was used in"),
      sessionId,
    }),
    output: Memory,
  },
  list: {
    summary: "List what this repository remembers, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["memory"], alsoWords: ["memory", "list"], group: "Know" },
    input: z.strictObject({
      kind: MemoryKind.optional(),
      state: MemoryState.optional(),
      limit: z.int().min(1).max(1_000).default(200),
    }),
    output: MemoryList,
  },
  show: {
    summary: "Show one memory, checked against the code of now",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Know" },
    input: z.strictObject(MemoryRef),
    output: Memory,
  },
  confirm: {
    summary: "Vouch for a memory, so that agents are handed it",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Know" },
    input: z.strictObject(MemoryRef),
    output: Memory,
  },
  forget: {
    summary: "Delete a memory with its file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Know" },
    input: z.strictObject(MemoryRef),
    output: MemoryForgotten,
  },
})

export const decisionOperations = defineOperations("decision", {
  add: {
    summary: "Write down a decision: what made it necessary, what it is, what follows",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["title", "decision"], group: "Know" },
    input: z.strictObject({
      title: z.string().min(1).max(200),
      context: Part.min(1).describe("What made a decision necessary"),
      decision: Part.min(1).describe("What was decided"),
      consequences: Part.default("").describe("What follows from it"),
      cites: z.array(Place).max(20).default([]).describe("Files or path#symbol that it rests on"),
    }),
    output: MemoryRecorded,
  },
  list: {
    summary: "List decisions, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["decision"], alsoWords: ["decision", "list"], group: "Know" },
    input: z.strictObject({
      limit: z.int().min(1).max(1_000).default(200),
    }),
    output: MemoryList,
  },
  show: {
    summary: "Show one decision, checked against the code of now",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Know" },
    input: z.strictObject({ id: z.string().min(1).max(200) }),
    output: Memory,
  },
})
