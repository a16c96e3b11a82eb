import { defineError } from "#ground/base"

export const NoHistory = defineError<{ path: string; reason: string }>()("PROOF_NO_HISTORY", {
  family: "invalid",
  message: (it) => `${it.path} has no history to take tasks from: ${it.reason}.`,
  hint: () => "Pass a git repository with commits: qm bench recall --repo ~/src/project",
})

export const TooFewTasks = defineError<{ commits: number; half: string }>()("PROOF_TOO_FEW_TASKS", {
  family: "invalid",
  message: (it) =>
    `None of ${it.commits} commits can be a task${it.half === "all" ? "" : ` in the half ${it.half}`}.`,
  hint: () =>
    "A task modifies 1 to 8 source files and has a message of at least 3 words; try --half all.",
})
