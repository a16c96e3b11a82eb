import { defineError, visibleLine } from "#ground/base"

export const CommitUnknown = defineError<{ readonly name: string }>()("REPORT_COMMIT_UNKNOWN", {
  family: "not-found",
  message: (it) => `No commit is called ${visibleLine(it.name)}.`,
  hint: () => "Pass a tag, a branch, HEAD~3 or an id of at least seven characters.",
})

export const HistoryUnreadable = defineError<{ readonly reason: string }>()(
  "REPORT_HISTORY_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The history cannot be read: ${it.reason}.`,
    hint: () => "Run the command in a git repository with at least one commit.",
  },
)

export const LockFileMissing = defineError<Record<never, never>>()("REPORT_LOCK_FILE_MISSING", {
  family: "not-found",
  message: () => "There is no lock file that can be checked.",
  hint: () =>
    "Supported: package-lock.json, Cargo.lock, poetry.lock and uv.lock. Create one first.",
})

export const LockFileInvalid = defineError<{ readonly path: string; readonly wrong: string }>()(
  "REPORT_LOCK_FILE_INVALID",
  {
    family: "invalid",
    message: (it) => `${visibleLine(it.path)} cannot be read: ${it.wrong}.`,
    hint: () => "Write it again with the package manager, e.g. `npm install --package-lock-only`.",
  },
)

export const PathUnknown = defineError<{ readonly path: string }>()("REPORT_PATH_UNKNOWN", {
  family: "not-found",
  message: (it) => `No file of this repository is at or below ${visibleLine(it.path)}.`,
  hint: () => "Pass a file or folder that the map lists: `qm map tree`.",
})
