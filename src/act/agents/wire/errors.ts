import { defineError } from "#ground/base"

export const AgentNotStarted = defineError<{ title: string; reason: string }>()(
  "AGENTS_NOT_STARTED",
  {
    family: "unavailable",
    message: (it) => `${it.title} could not be started: ${it.reason}.`,
    hint: () => "Check that the program runs in a terminal and that the folder is there.",
  },
)

export const AgentEnded = defineError<{ title: string; how: string; words: string }>()(
  "AGENTS_HOST_ENDED",
  {
    family: "unavailable",
    message: (it) =>
      `${it.title} ended ${it.how}.${it.words === "" ? "" : ` It said: ${it.words}`}`,
    hint: () => "Send the next message to go on in a new process, or look at its own log.",
  },
)

export const AgentSilent = defineError<{ title: string; seconds: number }>()("AGENTS_HOST_SILENT", {
  family: "unavailable",
  message: (it) => `${it.title} did not begin a session within ${it.seconds} seconds.`,
  hint: () => "Start it in a terminal: it may wait for a login or for an MCP server.",
})

export const AgentNotUnderstood = defineError<{ title: string; what: string }>()(
  "AGENTS_NOT_UNDERSTOOD",
  {
    family: "unavailable",
    message: (it) => `${it.title} does not speak the protocol we know: ${it.what}.`,
    hint: () => "Check with `qm doctor` which program and version is used.",
  },
)

export const AgentRefused = defineError<{ title: string; what: string; reason: string }>()(
  "AGENTS_HOST_REFUSED",
  {
    family: "unavailable",
    message: (it) => `${it.title} refused ${it.what}: ${it.reason}`,
    hint: () => "Start a fresh session, or correct what it names.",
  },
)

export const SessionOver = defineError<{ title: string }>()("AGENTS_SESSION_OVER", {
  family: "conflict",
  message: (it) => `This session of ${it.title} is over.`,
  hint: () => "Start another one, or resume it by its session id.",
})

export const TurnRunning = defineError<{ title: string }>()("AGENTS_TURN_RUNNING", {
  family: "conflict",
  message: (it) => `${it.title} is in the middle of a turn.`,
  hint: () => "Wait for the end of the turn, or interrupt it first.",
})

export const QuestionUnknown = defineError<{ approvalId: string }>()("AGENTS_QUESTION_UNKNOWN", {
  family: "not-found",
  message: (it) => `No approval ${it.approvalId} waits for an answer.`,
  hint: () => "It was answered already, or its turn has ended.",
})

export const ScriptInvalid = defineError<{ line: number; problem: string }>()(
  "AGENTS_SCRIPT_INVALID",
  {
    family: "invalid",
    message: (it) => `Line ${it.line} of the script is no event: ${it.problem}.`,
    hint: () => "Each line is one JSON event of the vocabulary, with `after` in milliseconds.",
  },
)

export const ScriptUnknown = defineError<{ name: string; names: readonly string[] }>()(
  "AGENTS_SCRIPT_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `There is no script named ${it.name}.`,
    hint: (it) => `Use one of ${it.names.join(", ")}, or give JSON lines.`,
  },
)
