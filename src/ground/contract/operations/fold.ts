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

const SHOWN_AT_ONCE = { "anthropic/alwaysLoad": true }

export const foldOperations = defineOperations("fold", {
  branch: {
    summary: "Open a branch for a sub-task, with a budget of tokens and a time",
    effect: "write",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "branch",
      rank: 1,
      title: "Open a branch",
      description:
        "Open a branch for a sub-task that will read much and conclude little (search, debugging, review). It has a token and time budget; end it with return. The answer says how to work in it.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      meta: SHOWN_AT_ONCE,
      needsFolding: true,
    },
    input: z.strictObject({
      description: z.string().describe("The sub-task in one line, at most 500 characters"),
      prompt: z.string().describe("What is to be done, whole; at most 10,000 characters"),
      budget: z.number().optional().describe("Tokens"),
      timeoutSeconds: z.number().optional(),
      parentBranchId: z
        .string()
        .max(200)
        .optional()
        .describe("root for none; default: the active branch"),
      scope: z.array(z.string().max(1_000)).max(200).default([]).describe("Paths and globs"),
      sessionId,
    }),
    output: FoldBranch,
  },
  return: {
    summary: "End a branch with its result, the only text that its parent keeps",
    effect: "write",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "return",
      rank: 2,
      title: "Return from a branch",
      description:
        "End a branch with its result. The message is all that its parent keeps: the conclusion first, then what it rests on.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      meta: SHOWN_AT_ONCE,
      needsFolding: true,
    },
    input: z.strictObject({
      branchId: z.string(),
      message: z.string().describe("At most 50,000 characters"),
      evidence: z
        .array(z.string())
        .default([])
        .describe("Where it can be checked: path:line, commands"),
      files: Paths.default([]).describe("Files changed or found to matter"),
      openQuestions: z.array(z.string()).default([]),
      extractMemory: z.boolean().default(false).describe("Ask what is worth remembering"),
      idempotencyKey: z.string().max(200).optional().describe("Repeats give the same answer"),
      sessionId,
    }),
    output: FoldReturn,
  },
  status: {
    summary: "Tell where a session's branches stand, and keep a note on how far one is",
    effect: "write",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "branch_status",
      rank: 3,
      title: "State of a branch",
      description:
        "How much of a branch's budget is used, its result if it has ended, which branches are open, and what ended by force. Give progress to keep a note in case it is ended.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      needsFolding: true,
    },
    input: z.strictObject({
      branchId: z.string().optional().describe("Default: the active branch"),
      progress: z.string().optional().describe("How far it is; kept if it is ended by force"),
      sessionId,
    }),
    output: FoldStatus,
  },
  read: {
    summary: "Read a slice of a result that is kept under a handle, or find words in it",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "read_handle",
      rank: 4,
      title: "Read what a handle keeps",
      description:
        "Read a slice of a large result that is kept under a handle, or the lines of it that have all words of a query. A branch_id reads that branch's trail.",
      texts: { lines: "Default 200" },
    },
    input: z.strictObject({
      handle: z.string().max(200).describe("Handle of a result, or of a branch for its trail"),
      fromLine: z.int().positive().default(1),
      lines: z.int().min(1).max(2_000).default(200),
      query: z.string().min(1).max(500).optional().describe("Words to look for instead of a slice"),
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
