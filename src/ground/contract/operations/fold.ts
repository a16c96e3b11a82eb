import { z } from "zod"
import {
  FoldBranch,
  FoldCharge,
  FoldEnded,
  FoldList,
  FoldRead,
  FoldRestore,
  FoldReturn,
  FoldSearch,
  FoldShow,
  FoldStatus,
  FoldTree,
} from "../fold.ts"
import { defineOperations } from "../operation.ts"

const sessionId = z
  .string()
  .max(200)
  .optional()
  .describe("Session it belongs to; default: the caller itself")

const Paths = z.array(z.string())

const Count = z.int().nonnegative()

export const foldOperations = defineOperations("fold", {
  branch: {
    summary: "Open a branch for a sub-task, with a budget of tokens and a time",
    effect: "write",
    surfaces: ["http", "mcp"],
    input: z.strictObject({
      description: z.string().describe("What the sub-task is, in one line"),
      prompt: z.string().describe("What is to be done, whole"),
      budget: z.number().optional().describe("Tokens it may use"),
      timeoutSeconds: z.number().optional(),
      parentBranchId: z
        .string()
        .optional()
        .describe("Parent; root for none; default: the session's active branch"),
      scope: z.array(z.string().max(1_000)).max(200).default([]).describe("Paths and globs"),
      sessionId,
    }),
    output: FoldBranch,
  },
  return: {
    summary: "End a branch with its result, the only text that its parent keeps",
    effect: "write",
    surfaces: ["http", "mcp"],
    input: z.strictObject({
      branchId: z.string(),
      message: z.string().describe("The result; the only text the parent keeps"),
      extractMemory: z.boolean().default(false),
      evidence: z.array(z.string()).default([]),
      files: Paths.default([]),
      openQuestions: z.array(z.string()).default([]),
      idempotencyKey: z.string().max(200).optional(),
      sessionId,
    }),
    output: FoldReturn,
  },
  status: {
    summary: "Tell where a session's branches stand, and keep a note on how far one is",
    effect: "write",
    surfaces: ["http", "mcp"],
    input: z.strictObject({
      branchId: z.string().optional().describe("Default: the session's active branch"),
      progress: z.string().optional().describe("How far it is; kept if it is ended by force"),
      sessionId,
    }),
    output: FoldStatus,
  },
  read: {
    summary: "Read a slice of a result that is kept under a handle, or find words in it",
    effect: "read",
    surfaces: ["http", "mcp"],
    input: z.strictObject({
      handle: z.string().describe("Handle of a result, or of a branch for its trail"),
      fromLine: z.int().positive().default(1),
      lines: z.int().min(1).max(2_000).default(200),
      query: z.string().max(500).optional().describe("Words to look for instead of a slice"),
      sessionId,
    }),
    output: FoldRead,
  },
  charge: {
    summary: "Charge a call of the host's own tools to the session's active branch",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({
      tokens: Count.describe("What a call and its result took of the window"),
      tool: z.string().max(200).default("").describe("The host's name of the tool"),
      paths: z.array(z.string().max(4_000)).max(200).default([]).describe("Files it touched"),
      text: z.string().default("").describe("What is kept of it in the trail"),
      sessionId,
    }),
    output: FoldCharge,
  },
  end: {
    summary: "End the branches of a session that is over",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({ sessionId }),
    output: FoldEnded,
  },
  list: {
    summary: "List branches, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Choose" },
    input: z.strictObject({
      all: z.boolean().default(false).describe("Also those that ended more than an hour ago"),
      session: z.string().max(200).optional().describe("Only of this session"),
      limit: z.int().min(1).max(1_000).default(100),
    }),
    output: FoldList,
  },
  tree: {
    summary: "Show branches by session, each followed by its children",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["fold"], alsoWords: ["fold", "tree"], group: "Choose" },
    input: z.strictObject({
      session: z.string().max(200).optional().describe("Only of this session"),
      all: z.boolean().default(false).describe("Also those that ended more than an hour ago"),
    }),
    output: FoldTree,
  },
  show: {
    summary: "Show a branch with its trail",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Choose" },
    input: z.strictObject({ id: z.string().max(200) }),
    output: FoldShow,
  },
  search: {
    summary: "Find words in the trails of branches",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["words"], group: "Choose" },
    input: z.strictObject({
      words: z.string().min(1).max(500).describe("What the trails are searched for"),
      limit: z.int().min(1).max(200).default(20),
    }),
    output: FoldSearch,
  },
  restore: {
    summary: "Write the trail of a branch for a model that is to go on with it",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Choose" },
    input: z.strictObject({
      id: z.string().max(200),
      budget: z.int().min(100).max(10_000_000).optional().describe("Tokens it may have"),
    }),
    output: FoldRestore,
  },
})
