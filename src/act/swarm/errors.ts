import { defineError } from "#ground/base"

export const NothingToPlan = defineError<{ left: number }>()("SWARM_NOTHING_TO_RUN", {
  family: "invalid",
  message: ({ left }) => {
    if (left === 0) return "No ticket can start now."
    return left === 1
      ? "The ready ticket cannot be planned."
      : `None of ${left} ready tickets can be planned.`
  },
  hint: () =>
    "Run `qm swarm plan` for the reasons. A ticket without files needs paths: `qm ticket edit 12 --paths src/main.ts`.",
})

export const NoBaseBranch = defineError<{ head: "detached" | "without a commit" }>()(
  "SWARM_NO_BASE",
  {
    family: "invalid",
    message: (it) => `HEAD is ${it.head}, and a swarm needs a branch to merge into.`,
    hint: (it) =>
      it.head === "detached"
        ? "Check out a branch first: `git switch main`."
        : "Make a first commit: `git add -A`, then `git commit`.",
  },
)

export const WorkstreamUnknown = defineError<{ name: string; names: readonly string[] }>()(
  "SWARM_WORKSTREAM_NOT_FOUND",
  {
    family: "not-found",
    message: (it) =>
      it.names.length === 0
        ? "No swarm has run in this repository yet."
        : `There is no workstream ${it.name} in the newest swarm.`,
    hint: (it) =>
      it.names.length === 0
        ? "Plan one with `qm swarm plan`, then start it with `qm swarm run`."
        : `Pass one of ${it.names.join(", ")}, listed by \`qm swarm review\`.`,
  },
)

export const WorkstreamNotReady = defineError<{ name: string; state: string }>()(
  "SWARM_WORKSTREAM_NOT_READY",
  {
    family: "conflict",
    message: (it) => `The workstream ${it.name} is ${it.state}, so this is not possible now.`,
    hint: () =>
      "Only parked workstreams are reviewed, active ones paused, stopped ones continued. See `qm swarm review`.",
  },
)

export const WorktreeGone = defineError<{ name: string; path: string }>()(
  "SWARM_WORKTREE_MISSING",
  {
    family: "conflict",
    message: (it) => `The worktree of ${it.name} is gone: ${it.path}.`,
    hint: (it) =>
      `Restore the folder, or discard the workstream: \`qm swarm discard ${it.name}\`. Its branch stays.`,
  },
)

export const MergeConflict = defineError<{ name: string; files: readonly string[] }>()(
  "SWARM_MERGE_CONFLICT",
  {
    family: "conflict",
    message: (it) => `The workstream ${it.name} conflicts with its base in ${it.files.join(", ")}.`,
    hint: (it) =>
      `Nothing was merged. Run \`qm swarm send-back ${it.name} "Resolve the conflicts"\`, or merge by hand.`,
  },
)

export const MergeRefused = defineError<{ name: string; reason: string }>()("SWARM_MERGE_REFUSED", {
  family: "conflict",
  message: (it) => `The workstream ${it.name} cannot be merged: ${it.reason}`,
  hint: () => "Nothing was merged. Commit or move your own changes, then try again.",
})

export const DefinitionUnknown = defineError<{ name: string }>()("SWARM_DEFINITION_NOT_FOUND", {
  family: "not-found",
  message: (it) => `There is no agent definition ${it.name} in .claude/agents.`,
  hint: () => "Name a file of .claude/agents without .md, or leave --definition out.",
})
