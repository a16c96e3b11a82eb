import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  WorktreeCheck,
  WorktreeCreated,
  WorktreeDiff,
  WorktreeList,
  WorktreeOpened,
  WorktreeRemoved,
} from "../shapes/worktrees.ts"

const WorktreeName = listedBy(
  "worktree.list",
  z.string().min(1).max(100).describe("Name of a worktree, listed by `qm worktree list`"),
)

export const worktreeOperations = defineOperations("worktree", {
  new: {
    summary: "Create a worktree that is ready to run: env files, ports, setup",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Board",
      examples: ["qm worktree new 12", "qm worktree new rounding --from main"],
      notes: [
        "Copies ignored files (setting worktrees.copy), assigns ports, runs worktrees.setup, and claims the ticket's paths.",
        "Run it again with the same name to continue after a failed setup.",
      ],
    },
    input: z.strictObject({
      name: z.string().min(1).max(100).describe("Ticket id or number, or a name"),
      from: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .describe("Branch or commit to start from (default: the current commit)"),
    }),
    output: WorktreeCreated,
  },
  list: {
    summary: "List worktrees with their branch, changes, ports and sessions",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Board", examples: ["qm worktree list"] },
    input: z.strictObject({}),
    output: WorktreeList,
    rows: { field: "worktrees", id: "name", title: ["branch"] },
  },
  open: {
    summary: "Print the folder and the variables of a worktree",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "Board", examples: ["qm worktree open rounding"] },
    input: z.strictObject({ name: WorktreeName }),
    output: WorktreeOpened,
  },
  check: {
    summary: "Forecast the merge of a worktree with its base and the other worktrees",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["worktree", "merge-check"],
      args: ["name"],
      group: "Board",
      examples: ["qm worktree merge-check rounding"],
      notes: ["Uncommitted changes are included. No file, branch or index is changed."],
    },
    input: z.strictObject({ name: WorktreeName }),
    output: WorktreeCheck,
  },
  diff: {
    summary: "Show what a worktree, or the commits of a ticket, changed",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Board",
      examples: ["qm worktree diff rounding", "qm worktree diff T-7QK2M"],
      notes: [
        "Uncommitted changes are included. If the ticket has no worktree, its commits are shown.",
      ],
    },
    input: z.strictObject({
      name: z.string().min(1).max(100).describe("Name of a worktree, or id of a ticket"),
    }),
    output: WorktreeDiff,
  },
  remove: {
    summary: "Remove a worktree that has no unmerged work and no live session",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Board",
      examples: ["qm worktree remove rounding", "qm worktree remove rounding --keep-branch"],
      notes: ["--force stores uncommitted files under refs/qm/rescue first, and keeps the branch."],
    },
    input: z.strictObject({
      name: WorktreeName,
      keepBranch: z
        .boolean()
        .default(false)
        .describe("Allow unmerged commits; they stay in the branch"),
      force: z
        .boolean()
        .default(false)
        .describe("Remove it with uncommitted files, after storing them as a commit"),
    }),
    output: WorktreeRemoved,
  },
})
