import { defineError } from "#ground/base"

export const GitMissing = defineError<{ reason: string }>()("WORKTREE_NO_GIT", {
  family: "unavailable",
  message: (it) => `Worktrees need git: ${it.reason}.`,
  hint: () => "Run `git init` and make a first commit, or install git 2.38 or later.",
})

export const WorktreeGitFailed = defineError<{ command: string; reason: string }>()(
  "WORKTREE_GIT_FAILED",
  {
    family: "unavailable",
    message: (it) => `\`git ${it.command}\` failed: ${it.reason}`,
    hint: () => "Fix the problem that git reports, then try again; nothing was removed.",
  },
)

export const WorktreeUnknown = defineError<{ name: string; known: readonly string[] }>()(
  "WORKTREE_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `There is no worktree named ${it.name}.`,
    hint: (it) =>
      it.known.length === 0
        ? "Create one, such as `qm worktree new rounding`."
        : `Known: ${it.known.slice(0, 5).join(", ")}. List them with \`qm worktree list\`.`,
  },
)

export const WorktreeExists = defineError<{ name: string; reason: string }>()("WORKTREE_EXISTS", {
  family: "conflict",
  message: (it) => `The worktree ${it.name} cannot be created: ${it.reason}.`,
  hint: () => "Choose another name. `qm worktree list` shows the existing worktrees.",
})

export const WorktreeNameInvalid = defineError<{ name: string }>()("WORKTREE_NAME_INVALID", {
  family: "invalid",
  message: (it) => `"${it.name}" is neither a ticket nor a name for a worktree.`,
  hint: () => "Use lower-case letters, digits, - and _, or a ticket of `qm ticket ready`.",
})

export const CommitUnknown = defineError<{ from: string }>()("WORKTREE_COMMIT_UNKNOWN", {
  family: "not-found",
  message: (it) => `"${it.from}" is not a branch or commit of this repository.`,
  hint: () => "List branches with `git branch --all`.",
})

export const FolderNested = defineError<{ path: string; root: string }>()("WORKTREE_NESTED", {
  family: "invalid",
  message: (it) => `${it.path} is inside the working tree ${it.root}.`,
  hint: () => "Set worktrees.folder to a folder outside the repository.",
})

export const PortsUsed = defineError<{ first: number; count: number }>()("WORKTREE_NO_PORTS", {
  family: "unavailable",
  message: (it) => `There is no block of ${it.count} free ports at or above port ${it.first}.`,
  hint: () => "Remove a worktree, or change worktrees.firstPort or worktrees.ports.",
})

export const WorkUnmerged = defineError<{ name: string; work: readonly string[] }>()(
  "WORKTREE_UNMERGED",
  {
    family: "conflict",
    message: (it) => `The worktree ${it.name} has work that would be lost: ${it.work.join("; ")}.`,
    hint: () => "Merge it, or use --keep-branch for commits, --force for uncommitted files.",
  },
)

export const WorktreeInUse = defineError<{ name: string; sessions: readonly string[] }>()(
  "WORKTREE_IN_USE",
  {
    family: "conflict",
    message: (it) =>
      `The worktree ${it.name} is used by ${it.sessions.length === 1 ? "session" : "sessions"} ${it.sessions.slice(0, 3).join(", ")}.`,
    hint: () =>
      "End the session first, or add --force: uncommitted files are stored, then it is removed.",
  },
)

export const NestedRepository = defineError<{ name: string; path: string }>()(
  "WORKTREE_HAS_REPOSITORY",
  {
    family: "conflict",
    message: (it) => `The worktree ${it.name} contains another repository at ${it.path}.`,
    hint: () => "Move that folder out of the worktree first; git would delete its history.",
  },
)
