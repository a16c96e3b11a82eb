import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { ALWAYS_LOADED, defineOperations } from "../operation.ts"
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
} from "../shapes/fold.ts"

const sessionId = z.string().max(200).optional().describe("Session id (default: the caller's own)")

const Paths = z.array(z.string().max(100_000)).max(10_000)

const Count = z.int().nonnegative()

const BranchRef = {
  id: listedBy("fold.list", z.string().max(200).describe("Branch id, listed by `qm fold`")),
}

export const foldOperations = defineOperations("fold", {
  branch: {
    summary: "Open a branch for a sub-task, with a token budget and a timeout",
    effect: "write",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "branch",
      rank: 1,
      title: "Open a branch",
      description:
        "Open a branch for a sub-task that reads a lot and ends in a short conclusion (search, debugging, review). It has a token budget and a timeout; end it with return. The response explains how to work in it.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      meta: ALWAYS_LOADED,
      needsFolding: true,
    },
    input: z.strictObject({
      description: z
        .string()
        .max(4_000_000)
        .describe("Sub-task in one line, at most 500 characters"),
      prompt: z.string().max(4_000_000).describe("Full task, at most 10,000 characters"),
      budget: z.number().optional().describe("Tokens"),
      timeoutSeconds: z.number().optional(),
      parentBranchId: z
        .string()
        .max(200)
        .optional()
        .describe("Parent, or root (default: the active branch)"),
      scope: z.array(z.string().max(1_000)).max(200).default([]).describe("Paths and globs"),
      sessionId,
    }),
    output: FoldBranch,
  },
  return: {
    summary: "End a branch with its result, the only text its parent sees",
    effect: "write",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "return",
      rank: 2,
      title: "Return from a branch",
      description:
        "End a branch with its result. The parent sees only this message: write the conclusion first, then the evidence.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      meta: ALWAYS_LOADED,
      needsFolding: true,
    },
    input: z.strictObject({
      branchId: z.string().max(200),
      message: z.string().max(4_000_000).describe("At most 50,000 characters"),
      evidence: z
        .array(z.string().max(100_000))
        .max(10_000)
        .default([])
        .describe("Proof, such as path:line or a command"),
      files: Paths.default([]).describe("Files changed or relevant"),
      openQuestions: z.array(z.string().max(100_000)).max(10_000).default([]),
      extractMemory: z.boolean().default(false).describe("Ask what to remember"),
      idempotencyKey: z
        .string()
        .max(200)
        .optional()
        .describe("Repeated calls with this key return the same response"),
      sessionId,
    }),
    output: FoldReturn,
  },
  status: {
    summary: "Show a session's branches, or store a progress note for one",
    effect: "write",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "branch_status",
      rank: 3,
      title: "Show branch status",
      description:
        "Show how much of a branch's budget is used, its result if it has ended, the open branches, and branches that were ended automatically. Pass progress to store a note in case the branch is ended.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      needsFolding: true,
    },
    input: z.strictObject({
      branchId: z.string().max(200).optional().describe("Default: the active branch"),
      progress: z
        .string()
        .max(4_000_000)
        .optional()
        .describe("Progress note; stored in case the branch is ended automatically"),
      sessionId,
    }),
    output: FoldStatus,
  },
  read: {
    summary: "Read lines of a stored result, or find words in it",
    effect: "read",
    surfaces: ["http", "mcp"],
    mcp: {
      set: "core",
      name: "read_handle",
      rank: 4,
      title: "Read a stored result",
      description:
        "Read lines of a large result stored under a handle, or only its lines that contain all words of a query. A branch_id reads that branch's trail.",
      texts: { lines: "Default 200" },
    },
    input: z.strictObject({
      handle: z.string().max(200).describe("Handle of a result, or a branch id for its trail"),
      fromLine: z.int().positive().default(1),
      lines: z.int().min(1).max(2_000).default(200),
      query: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe("Return only lines with all these words"),
      sessionId,
    }),
    output: FoldRead,
  },
  charge: {
    summary: "Charge a call of one of the host's tools to the active branch",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({
      tokens: Count.describe("Tokens of the call and its result"),
      tool: z.string().max(200).default("").describe("Tool name as the host spells it"),
      paths: z
        .array(z.string().max(4_000))
        .max(200)
        .default([])
        .describe("Files the call read or wrote"),
      text: z.string().max(4_000_000).default("").describe("Text to store in the trail"),
      sessionId,
    }),
    output: FoldCharge,
  },
  end: {
    summary: "End all branches of a session that has ended",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({
      sessionId,
      own: z.boolean().default(false).describe("Only branches that this process opened"),
    }),
    output: FoldEnded,
  },
  list: {
    summary: "List branches, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Sessions", examples: ["qm fold list --limit 10"] },
    input: z.strictObject({
      all: z.boolean().default(false).describe("Include branches that ended more than an hour ago"),
      session: z.string().max(200).optional().describe("Only branches of this session"),
      limit: z.int().min(1).max(1_000).default(100).describe("Maximum number of branches"),
    }),
    output: FoldList,
    rows: { field: "branches", id: "id", title: ["description"], given: { all: true } },
  },
  tree: {
    summary: "Show branches as a tree, by session",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["fold"],
      aliases: ["fold tree"],
      group: "Sessions",
      examples: ["qm fold", "qm fold --all"],
    },
    input: z.strictObject({
      session: z.string().max(200).optional().describe("Only branches of this session"),
      all: z.boolean().default(false).describe("Include branches that ended more than an hour ago"),
    }),
    output: FoldTree,
  },
  show: {
    summary: "Show a branch with its trail",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Sessions", examples: ["qm fold show br_abc123"] },
    input: z.strictObject(BranchRef),
    output: FoldShow,
  },
  search: {
    summary: "Search the trails of branches",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["words"], group: "Sessions", examples: ['qm fold search "rounding error"'] },
    input: z.strictObject({
      words: z.string().min(1).max(500).describe("Words to find"),
      limit: z.int().min(1).max(200).default(20).describe("Maximum number of matches"),
    }),
    output: FoldSearch,
  },
  restore: {
    summary: "Print a branch's trail as text from which a model can continue",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Sessions", examples: ["qm fold restore br_abc123 --budget 4000"] },
    input: z.strictObject({
      ...BranchRef,
      budget: z
        .int()
        .min(100)
        .max(10_000_000)
        .optional()
        .describe("Maximum number of tokens (default: the whole trail)"),
    }),
    output: FoldRestore,
  },
})
