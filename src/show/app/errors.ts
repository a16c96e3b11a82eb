import { defineError, formatBytes, type ReadTextOutcome } from "#ground/base"
import type { ConfigProblem } from "./config/file.ts"

export const ConfigInvalid = defineError<{ problems: readonly ConfigProblem[] }>()(
  "CONFIG_INVALID",
  {
    family: "invalid",
    message: ({ problems }) => {
      const [first, ...others] = problems
      const more = others.length === 0 ? "" : ` (and ${others.length} more)`
      // A message about a given value starts with its key; one about a file needs the position.
      const position = first?.place === first?.key ? "" : `${first?.place}: `
      return `${position}${first?.message}${more}`
    },
    hint: () => "Correct the value, then run `qm config check`.",
  },
)

export const ConfigKeyUnknown = defineError<{ advice: string }>()("CONFIG_KEY_UNKNOWN", {
  family: "not-found",
  message: ({ advice }) => `Unknown setting: ${advice}`,
  hint: () => "Run `qm config show` for the list of settings.",
})

export const AcpAgentNotStarted = defineError<{ program: string; reason: string }>()(
  "APP_ACP_AGENT_NOT_STARTED",
  {
    family: "unavailable",
    message: ({ program, reason }) => `${program} could not be started: ${reason}.`,
    hint: () => "Write the agent's command after --: `qm acp -- claude-agent-acp`.",
  },
)

export const DemoFolderUsed = defineError<{ folder: string }>()("APP_DEMO_FOLDER_USED", {
  family: "conflict",
  message: ({ folder }) => `${folder} is not empty.`,
  hint: () => "Name a new folder: `qm demo qm-demo-2`.",
})

export const DirectoryMissing = defineError<{ directory: string }>()("APP_DIRECTORY_MISSING", {
  family: "not-found",
  message: ({ directory }) => `The directory ${directory} does not exist.`,
  hint: () => "Check the path, or run qm inside the repository.",
})

export const HomeUnknown = defineError<Record<string, never>>()("APP_HOME_UNKNOWN", {
  family: "invalid",
  message: () =>
    "Neither QM_HOME nor HOME names an absolute folder, so there is no folder for user files.",
  hint: () => "Set QM_HOME to a directory of your own.",
})

/** `command` is set by the command line, which spells fields as flags. */
export const InputInvalid = defineError<{ operation: string; problem: string; command?: string }>()(
  "APP_INPUT_INVALID",
  {
    family: "invalid",
    message: ({ operation, problem, command }) =>
      command === undefined ? `${operation}: ${problem}.` : `\`qm ${command}\`: ${problem}.`,
    hint: ({ command }) =>
      command === undefined
        ? "Correct the named field; /docs lists the input of each operation."
        : `See \`qm ${command} --help\` for usage and examples.`,
  },
)

export const FileUnreadable = defineError<{ path: string; reason: string }>()(
  "APP_FILE_UNREADABLE",
  {
    family: "not-found",
    message: ({ path, reason }) => `${path}: ${reason}.`,
    hint: () => "Name an existing text file. Your shell expands folders and patterns.",
  },
)

export const PathOutside = defineError<{ path: string }>()("APP_PATH_OUTSIDE", {
  family: "invalid",
  message: ({ path }) => `${path} is outside the repository.`,
  hint: () => "Name files and folders below the root of the repository.",
})

export const SessionUnknown = defineError<{ session: string }>()("APP_SESSION_UNKNOWN", {
  family: "not-found",
  message: ({ session }) => `Unknown session ${session.slice(0, 100)}.`,
  hint: () => "Run `qm sessions recent` for the list of sessions.",
})

export const KitNeedsGit = defineError<Record<string, never>>()("APP_KIT_NEEDS_GIT", {
  family: "invalid",
  message: () => "The kit needs a git repository, and this folder is not in one.",
  hint: () => "Run `git init` here, or change to your repository.",
})

export const StateForeign = defineError<{ directory: string }>()("APP_STATE_FOREIGN", {
  family: "denied",
  message: ({ directory }) => `The state in ${directory} was not created by you on this machine.`,
  hint: () =>
    "It may contain commands of another user. Move the folder away; qm creates a new one.",
})

type Unreadable = Exclude<ReadTextOutcome, { kind: "read" }>

/** Follows the file name in a message. */
export function describeUnreadable(outcome: Unreadable, limitBytes: number): string {
  switch (outcome.kind) {
    case "missing":
      return "the file does not exist"
    case "not-regular":
      return `it is not a file but a ${outcome.what}`
    case "too-large":
      return `it has ${formatBytes(outcome.sizeBytes)}; the limit is ${formatBytes(limitBytes)}`
    case "not-text":
      return "it is not text: it contains bytes that are not UTF-8"
    case "outside-root":
      return "it is outside the folder"
    case "unreadable":
      return `it cannot be read (${outcome.reason})`
    default:
      return outcome satisfies never
  }
}

export const StoreMissing = defineError<{ file: string }>()("APP_STORE_MISSING", {
  family: "not-found",
  message: ({ file }) => `${file} does not exist yet.`,
  hint: () => "Run any command that stores something, such as `qm capture`, to create it.",
})

export const NpmMissing = defineError<{ reason: string }>()("UPGRADE_NPM_MISSING", {
  family: "unavailable",
  message: ({ reason }) => `npm could not be started: ${reason}.`,
  hint: () => "Install npm or put it on the PATH, then run `qm upgrade --check` again.",
})

export const RegistryUnreachable = defineError<{ reason: string }>()("UPGRADE_OFFLINE", {
  family: "unavailable",
  message: ({ reason }) => `npm could not reach its registry: ${reason}.`,
  hint: () => "Check the network and `npm config get registry`. `qm upgrade` works offline.",
})

export const VersionUnknown = defineError<{ reason: string }>()("UPGRADE_VERSION_UNKNOWN", {
  family: "unavailable",
  message: ({ reason }) => `npm's registry did not return a version: ${reason}.`,
  hint: () => "Run `npm view quartermaster version` for details.",
})

export const RepositoriesUnreadable = defineError<{ file: string }>()(
  "APP_REPOSITORIES_UNREADABLE",
  {
    family: "invalid",
    message: ({ file }) => `${file} is not a list of repositories.`,
    hint: () => "Correct or delete the file; `qm up` in a repository adds it again.",
  },
)

export const RepositoryUnknown = defineError<{ given: string }>()("APP_REPOSITORY_UNKNOWN", {
  family: "not-found",
  message: ({ given }) => `The repository ${given} is not in the list.`,
  hint: () => "Run `qm fleet` for the list, or `qm up` in the repository to add it.",
})

export const DashboardNotWritable = defineError<{ file: string; reason: string }>()(
  "DASHBOARD_NOT_WRITABLE",
  {
    family: "denied",
    message: ({ file, reason }) => `${file} cannot be written: ${reason}.`,
    hint: () => "Name a file in a folder that exists and can be written: --out state.html.",
  },
)
