import { defineError, formatBytes, type ReadTextOutcome } from "#ground/base"
import type { ConfigProblem } from "./config/file.ts"

export const ConfigInvalid = defineError<{ problems: readonly ConfigProblem[] }>()(
  "CONFIG_INVALID",
  {
    family: "invalid",
    message: ({ problems }) => {
      const [first, ...others] = problems
      const more = others.length === 0 ? "" : ` (and ${others.length} more)`
      return `${first?.place}: ${first?.message}${more}`
    },
    hint: () => "Mend it, then run `qm config check`.",
  },
)

export const ConfigKeyUnknown = defineError<{ advice: string }>()("CONFIG_KEY_UNKNOWN", {
  family: "not-found",
  message: ({ advice }) => `There is no such setting: ${advice}`,
  hint: () => "Run `qm config show` for the list.",
})

export const DemoFolderUsed = defineError<{ folder: string }>()("APP_DEMO_FOLDER_USED", {
  family: "conflict",
  message: ({ folder }) => `${folder} is not empty.`,
  hint: () => "Name a new folder: `qm demo qm-demo-2`.",
})

export const DirectoryMissing = defineError<{ directory: string }>()("APP_DIRECTORY_MISSING", {
  family: "not-found",
  message: ({ directory }) => `There is no directory ${directory}.`,
  hint: () => "Check the path given to -C, or run qm inside the repository.",
})

export const HomeUnknown = defineError<Record<string, never>>()("APP_HOME_UNKNOWN", {
  family: "invalid",
  message: () => "Neither QM_HOME nor HOME is set, so there is no place for user files.",
  hint: () => "Set QM_HOME to a directory of your own.",
})

export const InputInvalid = defineError<{ operation: string; problem: string }>()(
  "APP_INPUT_INVALID",
  {
    family: "invalid",
    message: ({ operation, problem }) => `${operation}: ${problem}`,
    hint: () => "Add --help to the command, or look at /docs, for what it takes.",
  },
)

export const FileUnreadable = defineError<{ path: string; reason: string }>()(
  "APP_FILE_UNREADABLE",
  {
    family: "not-found",
    message: ({ path, reason }) => `${path}: ${reason}.`,
    hint: () => "Name a text file that exists; a folder or a pattern is left to your shell.",
  },
)

export const PathOutside = defineError<{ path: string }>()("APP_PATH_OUTSIDE", {
  family: "invalid",
  message: ({ path }) => `${path} lies outside of the repository.`,
  hint: () => "Name files and folders below the root of the repository.",
})

export const SessionUnknown = defineError<{ session: string }>()("APP_SESSION_UNKNOWN", {
  family: "not-found",
  message: ({ session }) => `There is no session ${session.slice(0, 100)}.`,
  hint: () => "`qm session` lists those that are known.",
})

export const KitNeedsGit = defineError<Record<string, never>>()("APP_KIT_NEEDS_GIT", {
  family: "invalid",
  message: () => "The kit is installed for a git repository, and this folder is in none.",
  hint: () => "Run `git init` here, or go to the repository you work in.",
})

export const StateForeign = defineError<{ directory: string }>()("APP_STATE_FOREIGN", {
  family: "denied",
  message: ({ directory }) => `The state in ${directory} was not made by you on this machine.`,
  hint: () => "It came with the folder, and could start things. Move it away; a fresh one is made.",
})

type Unreadable = Exclude<ReadTextOutcome, { kind: "read" }>

/** Follows the file name in a message. */
export function describeUnreadable(outcome: Unreadable, limitBytes: number): string {
  switch (outcome.kind) {
    case "missing":
      return "there is no such file"
    case "not-regular":
      return `not a file but a ${outcome.what}`
    case "too-large":
      return `${formatBytes(outcome.sizeBytes)}, of at most ${formatBytes(limitBytes)}`
    case "not-text":
      return "not text: it holds bytes that are not UTF-8"
    case "outside-root":
      return "it lies outside the folder it was looked for in"
    case "unreadable":
      return `cannot be read (${outcome.reason})`
    default:
      return outcome satisfies never
  }
}
