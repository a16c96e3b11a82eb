import { defineError } from "#ground/base"

export const NoHistory = defineError<{ path: string; reason: string }>()("PROOF_NO_HISTORY", {
  family: "invalid",
  message: (it) => `${it.path} has no history to take tasks from: ${it.reason}.`,
  hint: () => "Pass a git repository with commits, such as `qm bench recall --repo ../project`.",
})

export const TooFewTasks = defineError<{ commits: number; half: string }>()("PROOF_TOO_FEW_TASKS", {
  family: "invalid",
  message: (it) =>
    `None of ${it.commits} commits can be a task${it.half === "all" ? "" : ` in the half ${it.half}`}.`,
  hint: () =>
    "A task modifies 1 to 8 source files and has a message of at least 3 words; try --half all.",
})

export const TasksInvalid = defineError<{ file: string; line: number; reason: string }>()(
  "PROOF_TASKS_INVALID",
  {
    family: "invalid",
    message: (it) =>
      it.line === 0
        ? `${it.file} cannot be read: ${it.reason}.`
        : `${it.file}, line ${it.line}, is not a valid task: ${it.reason}.`,
    hint: () =>
      "Write one JSON object per line: id, repo, base_commit, task, and gold_files or gold_lines.",
  },
)

export const NoIssueMeasured = defineError<{ tasks: number; reason: string }>()("PROOF_NO_ISSUE", {
  family: "invalid",
  message: (it) => `None of ${it.tasks} tasks could be measured: ${it.reason}.`,
  hint: () => "Put git repositories below --repos as owner/name, and try --half all.",
})

export const QuestionsInvalid = defineError<{ file: string; line: number; reason: string }>()(
  "PROOF_QUESTIONS_INVALID",
  {
    family: "invalid",
    message: (it) =>
      it.line === 0
        ? `${it.file} cannot be read: ${it.reason}.`
        : `${it.file}, line ${it.line}, is neither a memory nor a question: ${it.reason}.`,
    hint: () =>
      "One JSON object per line: a memory (set, memory, text) or a question (set, id, question, evidence).",
  },
)

export const NoQuestionMeasured = defineError<{ questions: number; reason: string }>()(
  "PROOF_NO_QUESTION",
  {
    family: "invalid",
    message: (it) => `None of ${it.questions} questions could be measured: ${it.reason}.`,
    hint: () =>
      "Give every question a set with memories and their ids as evidence; try --half all.",
  },
)

export const PeerFailed = defineError<{ program: string; reason: string }>()("PROOF_PEER_FAILED", {
  family: "unavailable",
  message: (it) => `${it.program} failed: ${it.reason}`,
  hint: () => "Run the tool by itself to see why, or run the benchmark without --peers.",
})
