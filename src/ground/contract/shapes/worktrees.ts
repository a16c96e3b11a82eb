import { z } from "zod"

const Moment = z.int().describe("Milliseconds since 1970")

const WorktreeState = z
  .enum(["creating", "ready", "failed", "missing", "foreign"])
  .describe(
    "failed: its setup command failed; missing: its folder is gone; foreign: not made by qm",
  )

export const Worktree = z.object({
  name: z.string(),
  path: z.string(),
  branch: z.string().nullable().describe("Null with a detached head"),
  state: WorktreeState,
  baseRef: z.string().nullable().describe("Branch it started from; null for a commit only"),
  baseCommit: z.string().nullable(),
  ticket: z.string().nullable(),
  firstPort: z.int().nullable().describe("First port of its block"),
  ports: z.int().describe("Size of its block of ports; 0 for none"),
  copied: z.array(z.string()).describe("Ignored files that were copied into it"),
  setup: z
    .object({
      command: z.string(),
      exitCode: z.int().nullable().describe("Null if a signal or the time limit ended it"),
      durationMs: z.int(),
      tail: z.string().describe("The last lines of its output, redacted"),
    })
    .nullable(),
  createdAt: Moment.nullable(),
  uncommitted: z.int().nullable().describe("Changed files; null if unknown"),
  ahead: z.int().nullable().describe("Commits that the base does not have; null if unknown"),
  behind: z.int().nullable().describe("Commits of the base that it does not have"),
  sessions: z.array(z.string()).describe("Sessions active there in the last 30 minutes"),
})
export type Worktree = z.infer<typeof Worktree>

export const WorktreeList = z.object({ worktrees: z.array(Worktree), folder: z.string() })
export type WorktreeList = z.infer<typeof WorktreeList>

export const WorktreeCreated = z.object({
  worktree: Worktree,
  skipped: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .describe("Files that were not copied"),
  claimed: z.array(z.string()).describe("Paths of the ticket that are now claimed"),
  heldByOthers: z.array(z.object({ path: z.string(), session: z.string() })),
})
export type WorktreeCreated = z.infer<typeof WorktreeCreated>

export const WorktreeOpened = z.object({
  worktree: Worktree,
  environment: z.record(z.string(), z.string()).describe("Variables for programs started there"),
})
export type WorktreeOpened = z.infer<typeof WorktreeOpened>

const MergeForecast = z.object({
  with: z.string().describe("Branch of the base, or name of another worktree"),
  conflicts: z.array(z.string()).describe("Files that would conflict; empty if it merges"),
})

export const WorktreeCheck = z.object({
  name: z.string(),
  tree: z.string().describe("Tree id of its files, uncommitted changes included"),
  changed: z.array(z.string()).describe("Files that differ from the common commit with the base"),
  base: MergeForecast.nullable().describe("Null if the base is gone"),
  behind: z.int().nullable().describe("Commits of the base that it does not have"),
  others: z.array(MergeForecast).describe("Other worktrees with changes"),
})
export type WorktreeCheck = z.infer<typeof WorktreeCheck>

export const WorktreeDiff = z.object({
  name: z.string(),
  from: z
    .enum(["worktree", "commits", "none"])
    .describe("commits: those on the current branch that name the ticket"),
  against: z.string().nullable().describe("Branch or commit it is compared with"),
  text: z.string().describe("Unified diff, redacted"),
  isCut: z.boolean().describe("Whether the rest was left out"),
})
export type WorktreeDiff = z.infer<typeof WorktreeDiff>

export const WorktreeRemoved = z.object({
  name: z.string(),
  path: z.string(),
  keptBranch: z.string().nullable().describe("Branch that was kept; null if it was merged"),
  rescue: z.string().nullable().describe("Ref with the uncommitted files; null without any"),
})
export type WorktreeRemoved = z.infer<typeof WorktreeRemoved>
