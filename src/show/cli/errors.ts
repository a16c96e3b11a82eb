import { defineError, nearest } from "#ground/base"
import type { Command } from "./command.ts"

const MOST_SUGGESTED = 3

/** Commands that start with the typed words, else the most similar one. */
function suggestCommands(typed: string, commands: readonly string[]): readonly string[] {
  const names = [...new Set(commands)]
  const completed = names.filter((it) => it.startsWith(typed))
  if (completed.length > 0) return completed.slice(0, MOST_SUGGESTED)
  return [nearest(typed, names) ?? []].flat()
}

export const UnknownCommand = defineError<{ words: string; known: readonly string[] }>()(
  "CLI_UNKNOWN_COMMAND",
  {
    family: "invalid",
    message: ({ words }) => `There is no command "${words}".`,
    hint: ({ words, known }) => {
      const near = suggestCommands(words, known)
      if (near.length === 0) return "List all commands with `qm help --all`."
      return `Did you mean ${near.map((it) => `\`qm ${it}\``).join(" or ")}?`
    },
  },
)

export const UnknownFlag = defineError<{
  flag: string
  command: string
  known: readonly string[]
}>()("CLI_UNKNOWN_FLAG", {
  family: "invalid",
  message: ({ flag, command }) => `\`qm ${command}\` has no flag ${flag}.`,
  hint: ({ flag, command, known }) => {
    const near = nearest(flag, known)
    return near === undefined
      ? `List its flags with \`qm ${command} --help\`.`
      : `Did you mean ${near}?`
  },
})

export const FlagNeedsValue = defineError<{ flag: string; expected: string }>()(
  "CLI_FLAG_NEEDS_VALUE",
  {
    family: "invalid",
    message: ({ flag }) => `${flag} needs a value.`,
    hint: ({ flag, expected }) => `Write ${flag} ${expected}.`,
  },
)

export const FlagValueWrong = defineError<{ flag: string; value: string; expected: string }>()(
  "CLI_FLAG_VALUE_WRONG",
  {
    family: "invalid",
    message: ({ flag, value }) => `Invalid value "${value}" for ${flag}.`,
    hint: ({ expected }) => `Allowed: ${expected}.`,
  },
)

export const ArgumentMissing = defineError<{ command: string; argument: string }>()(
  "CLI_ARGUMENT_MISSING",
  {
    family: "invalid",
    message: ({ command, argument }) => `\`qm ${command}\` needs ${argument}.`,
    hint: ({ command }) => `See \`qm ${command} --help\` for usage and examples.`,
  },
)

export const ArgumentUnexpected = defineError<{ command: string; argument: string }>()(
  "CLI_ARGUMENT_UNEXPECTED",
  {
    family: "invalid",
    message: ({ command, argument }) => `\`qm ${command}\` takes no argument "${argument}".`,
    hint: ({ command }) =>
      `Put a text of several words in quotes. \`qm ${command} --help\` has examples.`,
  },
)

export const NothingRuns = defineError<Record<string, never>>()("CLI_NOTHING_RUNS", {
  family: "not-found",
  message: () => "No run is active in this repository.",
  hint: () => "List all runs with `qm runs`, then pass the id of one to `qm attach`.",
})

/** Passes on the error of a running server. */
export const ServerRefused = defineError<{ code: string; message: string; hint: string }>()(
  "CLI_SERVER_REFUSED",
  {
    family: "unavailable",
    message: ({ message }) => `The server did not start the run: ${message}`,
    hint: ({ hint, code }) => `${hint} (${code})`,
  },
)

type TypedFields = Pick<Command, "arguments" | "flags">
const NO_FIELDS: TypedFields = { arguments: [], flags: [] }

/**
 * Names fields as they are typed: `budgetUsd must be …` becomes `--budget-usd must be …`, and
 * `paths.0` becomes `<paths>, item 1,`.
 */
export function spellFields(problems: string, command: TypedFields = NO_FIELDS): string {
  const spelled = problems.split("; ").map((problem) => {
    const [field = "", ...rest] = problem.split(" ")
    return [spellField(field, command), ...rest].join(" ")
  })
  return spelled.join("; ")
}

function spellField(field: string, command: TypedFields): string {
  const [key = "", index, ...deeper] = field.split(".")
  const name = typedName(key, command)
  if (index === undefined) return name
  const isItem = deeper.length === 0 && Number.isInteger(Number(index))
  return isItem ? `${name}, item ${Number(index) + 1},` : field
}

function typedName(key: string, command: TypedFields): string {
  const flag = command.flags.find((it) => it.key === key)
  if (flag !== undefined) return `--${flag.name}`
  const argument = command.arguments.find((it) => it.key === key)
  if (argument !== undefined) return `<${argument.name}>`
  if (!/^[a-z]+[A-Z]/.test(key)) return key
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

export const RunInputInvalid = defineError<{ problem: string }>()("CLI_RUN_INVALID", {
  family: "invalid",
  message: ({ problem }) => `\`qm run\`: ${spellFields(problem)}.`,
  hint: () => "See `qm run --help` for usage and examples.",
})

export const CredentialMissing = defineError<{ readonly name: string }>()("CLI_CREDENTIAL_EMPTY", {
  family: "invalid",
  message: (it) => `The value of credential ${it.name} is empty.`,
  hint: (it) => `Pass it on stdin: \`printenv MY_KEY | qm credential set ${it.name}\`.`,
})

export const CommandNotStarted = defineError<{ program: string; reason: string }>()(
  "CLI_COMMAND_NOT_STARTED",
  {
    family: "unavailable",
    message: (it) => `Could not start ${it.program}: ${it.reason}.`,
    hint: (it) =>
      `Install it, or write its full path after --: \`qm gateway run -- /path/to/${it.program}\`.`,
  },
)

export const InvalidPercent = defineError<{ value: string }>()("CLI_INVALID_PERCENT", {
  family: "invalid",
  message: (it) => `Invalid value "${it.value}" for --at. Allowed: 0% to 100%.`,
  hint: () => "Example: `qm gateway run --mode fold --auto-fold on --at 60% -- claude`.",
})

export const InstallIncomplete = defineError<{ folder: string; missing: string }>()(
  "CLI_INSTALL_INCOMPLETE",
  {
    family: "unavailable",
    message: ({ folder, missing }) =>
      `The installation in ${folder} is incomplete: ${missing} is missing.`,
    hint: () => "Reinstall it: `npm install -g quartermaster`. In a clone: `npm ci`.",
  },
)

export const TooManyFiles = defineError()("CLI_TOO_MANY_FILES", {
  family: "unavailable",
  message: () => "The system allows no more open files.",
  hint: () => "Raise the limit with `ulimit -n 1024`, or close other programs, and try again.",
})

export const NotConnected = defineError<Record<string, never>>()("CONNECT_NONE", {
  family: "not-found",
  message: () => "This repository is not connected to a server.",
  hint: () => "Connect it with `qm connect URL`.",
})

export const ConnectTokenMissing = defineError<Record<string, never>>()("CONNECT_TOKEN_MISSING", {
  family: "invalid",
  message: () => "There is no token for this server.",
  hint: () =>
    "Type it at the prompt of `qm connect URL` in a terminal, or pass it on stdin with --token-stdin. An owner creates it with `qm people token new NAME`.",
})

export const ConnectBusy = defineError<{ pid: number }>()("CONNECT_RUNS_ALREADY", {
  family: "conflict",
  message: (it) => `\`qm connect\` already runs for this repository, as process ${it.pid}.`,
  hint: () => "End it there with Ctrl-C first.",
})

export const ConnectionsDamaged = defineError<{ file: string }>()("CONNECT_FILE_DAMAGED", {
  family: "invalid",
  message: (it) => `${it.file} cannot be read as connections.`,
  hint: (it) => `Remove ${it.file} and connect again.`,
})
