import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  Memory,
  MemoryForgotten,
  MemoryKind,
  MemoryList,
  MemoryRecorded,
  MemorySearch,
  MemoryState,
} from "../shapes/memory.ts"

const sessionId = z.string().max(200).optional().describe("Session id (default: the caller's own)")

const MemoryRef = {
  id: listedBy("memory.list", z.string().max(200).describe("Memory id, listed by `qm memory`")),
}

const Part = z.string().max(20_000)

const InputPath = z.string().min(1).max(4_096)

export const memoryOperations = defineOperations("memory", {
  search: {
    summary: "Search the memories of this repository",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["words"], group: "Memory", examples: ['qm memory search "database migration"'] },
    mcp: {
      set: "core",
      rank: 9,
      title: "Search memories",
      description:
        "Find earlier decisions, lessons and fixes in this repository by topic. Then call memory_feedback to report whether a memory helped.",
      fields: { query: "words", kind: "kind", limit: "limit" },
      texts: { query: "", limit: "Default 10" },
    },
    input: z.strictObject({
      words: z.string().min(1).max(10_000).describe("Words to search for"),
      kind: MemoryKind.optional().describe("Only memories of this kind"),
      limit: z.int().min(1).max(100).default(10).describe("Maximum number of memories"),
      sessionId,
    }),
    output: MemorySearch,
  },
  record: {
    summary: "Add a memory to this repository, as a file",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["memory", "add"],
      args: ["title", "body"],
      group: "Memory",
      examples: ['qm memory add "Test runner" "Run tests with npm test" --kind rule'],
    },
    mcp: {
      set: "core",
      rank: 10,
      title: "Add a memory",
      description:
        "Store one fact that later work here should know and that the code does not show: a strategy, pitfall, decision, rule, term or fix. Store what is true, not what happened.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      texts: {
        description: "In one line",
        cites: "Code it is about: path or path#symbol",
        branch_id: "If return asked for it",
        untrusted: "It comes from a web page, an issue or similar",
        supersedes: "Id of the memory it replaces",
      },
    },
    input: z.strictObject({
      kind: MemoryKind.describe("Kind of memory"),
      title: z.string().max(1_000_000).describe("Title"),
      description: z.string().max(1_000_000).default("").describe("One line (default: the title)"),
      body: z.string().max(1_000_000).describe("Text of the memory"),
      cites: z
        .array(z.string().max(4_500))
        .max(20)
        .default([])
        .describe("Code it is about: path or path#symbol"),
      branchId: z
        .string()
        .max(200)
        .optional()
        .describe("Branch whose return asked for this memory"),
      untrusted: z
        .boolean()
        .default(false)
        .describe("It comes from a web page, an issue or other external text"),
      supersedes: listedBy(
        "memory.list",
        z.string().max(200).optional().describe("Id of the memory it replaces"),
      ),
      sessionId,
    }),
    output: MemoryRecorded,
  },
  feedback: {
    summary: "Report whether a memory helped, and how the task ended",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["id"],
      group: "Memory",
      examples: ["qm memory feedback mem_abc123 --verdict helpful"],
    },
    mcp: {
      set: "core",
      rank: 11,
      title: "Rate a memory",
      description:
        "Report whether a memory helped and how the task ended. The memory's confidence is computed from these reports.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      texts: { outcome: "Of the task" },
    },
    input: z.strictObject({
      id: listedBy("memory.list", z.string().max(200).describe("Memory id")),
      verdict: z.enum(["helpful", "unhelpful"]).optional().describe("Whether it helped"),
      outcome: z
        .enum(["succeeded", "failed"])
        .optional()
        .describe("Outcome of the task in which it was used"),
      sessionId,
    }),
    output: Memory,
  },
  list: {
    summary: "List memories, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["memory"],
      aliases: ["memory list"],
      group: "Memory",
      examples: ["qm memory", "qm memory --kind pitfall"],
    },
    input: z.strictObject({
      kind: MemoryKind.optional().describe("Only memories of this kind"),
      state: MemoryState.optional().describe("Only memories in this state"),
      limit: z.int().min(1).max(1_000).default(200).describe("Maximum number of memories"),
    }),
    output: MemoryList,
    rows: { field: "memories", id: "id", title: ["title"] },
  },
  show: {
    summary: "Show a memory, checked against the current code",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Memory", examples: ["qm memory show mem_abc123"] },
    input: z.strictObject(MemoryRef),
    output: Memory,
  },
  confirm: {
    summary: "Confirm a memory, so that agents receive it",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Memory", examples: ["qm memory confirm mem_abc123"] },
    input: z.strictObject(MemoryRef),
    output: Memory,
  },
  forget: {
    summary: "Delete a memory with its file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Memory", examples: ["qm memory forget mem_abc123"] },
    input: z.strictObject(MemoryRef),
    output: MemoryForgotten,
  },
})

export const decisionOperations = defineOperations("decision", {
  add: {
    summary: "Add a decision: its context, the decision and its consequences",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["title", "decision"],
      group: "Memory",
      examples: ['qm decision add "Use SQLite" "Store data in SQLite" --context "Offline use"'],
    },
    input: z.strictObject({
      title: z.string().min(1).max(200).describe("Title of the decision"),
      context: Part.min(1).describe("Why a decision was necessary"),
      decision: Part.min(1).describe("What was decided"),
      consequences: Part.default("").describe("What follows from it"),
      cites: z
        .array(InputPath)
        .max(20)
        .default([])
        .describe("Code it is about: path or path#symbol"),
    }),
    output: MemoryRecorded,
  },
  list: {
    summary: "List decisions, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["decision"],
      aliases: ["decision list"],
      group: "Memory",
      examples: ["qm decision"],
    },
    input: z.strictObject({
      limit: z.int().min(1).max(1_000).default(200).describe("Maximum number of decisions"),
    }),
    output: MemoryList,
    rows: { field: "memories", id: "id", title: ["title"] },
  },
  show: {
    summary: "Show a decision, checked against the current code",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Memory", examples: ["qm decision show mem_abc123"] },
    input: z.strictObject({
      id: listedBy(
        "decision.list",
        z.string().min(1).max(200).describe("Decision id, listed by `qm decision`"),
      ),
    }),
    output: Memory,
  },
})
