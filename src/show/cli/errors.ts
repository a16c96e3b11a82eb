import { defineError, nearest } from "#ground/base"

export const UnknownCommand = defineError<{ words: string; known: readonly string[] }>()(
  "CLI_UNKNOWN_COMMAND",
  {
    family: "invalid",
    message: ({ words }) => `There is no command "${words}".`,
    hint: ({ words, known }) => {
      const near = nearest(words, known)
      return near === undefined ? "Run `qm --help` for the list." : `Did you mean \`qm ${near}\`?`
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
      ? `Run \`qm ${command} --help\` for its flags.`
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
    message: ({ flag, value }) => `${flag} does not take "${value}".`,
    hint: ({ expected }) => `It takes ${expected}.`,
  },
)

export const ArgumentMissing = defineError<{ command: string; argument: string }>()(
  "CLI_ARGUMENT_MISSING",
  {
    family: "invalid",
    message: ({ command, argument }) => `\`qm ${command}\` needs ${argument}.`,
    hint: ({ command }) => `Run \`qm ${command} --help\` for an explanation.`,
  },
)

export const ArgumentUnexpected = defineError<{ command: string; argument: string }>()(
  "CLI_ARGUMENT_UNEXPECTED",
  {
    family: "invalid",
    message: ({ command, argument }) => `\`qm ${command}\` has no use for "${argument}".`,
    hint: ({ command }) => `Run \`qm ${command} --help\` for what it takes.`,
  },
)

export const NothingRuns = defineError<Record<string, never>>()("CLI_NOTHING_RUNS", {
  family: "not-found",
  message: () => "No agent works here now.",
  hint: () => "`qm runs` lists the runs there were; `qm attach <id>` shows one of them.",
})

/** What a running server answered, in its own words. */
export const ServerRefused = defineError<{ code: string; message: string; hint: string }>()(
  "CLI_SERVER_REFUSED",
  {
    family: "unavailable",
    message: ({ message }) => `The server did not start it: ${message}`,
    hint: ({ hint, code }) => `${hint} (${code})`,
  },
)

export const RunInputInvalid = defineError<{ problem: string }>()("CLI_RUN_INVALID", {
  family: "invalid",
  message: ({ problem }) => `\`qm run\`: ${problem}`,
  hint: () => "`qm run --help` says what it takes.",
})

export const CredentialMissing = defineError<{ readonly name: string }>()("CLI_CREDENTIAL_EMPTY", {
  family: "invalid",
  message: (it) => `No value was given for the credential ${it.name}.`,
  hint: (it) => `Give it on stdin: \`printenv MY_KEY | qm credential set ${it.name}\`.`,
})

export const CommandNotStarted = defineError<{ program: string; reason: string }>()(
  "CLI_COMMAND_NOT_STARTED",
  {
    family: "unavailable",
    message: (it) => `${it.program} could not be started: ${it.reason}.`,
    hint: () => "Behind -- stands a program as you would type it, then what it takes.",
  },
)
