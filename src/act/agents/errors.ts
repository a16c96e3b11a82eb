import { defineError } from "#ground/base"

export const RunUnknown = defineError<{ id: string }>()("AGENTS_RUN_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no run ${it.id}.`,
  hint: () => "Run qm runs to see the ids.",
})

export const DirectoryUnusable = defineError<{ path: string; reason: string }>()(
  "AGENTS_DIRECTORY_UNUSABLE",
  {
    family: "invalid",
    message: (it) => `An agent cannot work in ${it.path}: ${it.reason}.`,
    hint: () => "Name a directory inside this repository, or leave it out.",
  },
)

export const ProgramMissing = defineError<{ type: string; install: string }>()(
  "AGENTS_PROGRAM_MISSING",
  {
    family: "unavailable",
    message: (it) => `${it.type} was not found on this machine. ${it.install}`,
    hint: () => "Start the run again once the program is on the PATH.",
  },
)

export const TooManyQueued = defineError<{ id: string; most: number }>()("AGENTS_QUEUE_FULL", {
  family: "conflict",
  message: (it) => `${it.most} turns already wait behind run ${it.id}.`,
  hint: () => "Wait for some of them, or remove one.",
})

export const ApprovalUnknown = defineError<{ id: string }>()("AGENTS_APPROVAL_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no approval ${it.id}.`,
  hint: () => "It may belong to a run that was deleted.",
})

export const ApprovalAnswered = defineError<{ id: string; status: string; by: string }>()(
  "AGENTS_APPROVAL_ANSWERED",
  {
    family: "conflict",
    message: (it) => `Approval ${it.id} was already answered: ${it.status} by ${it.by}.`,
    hint: () => "Nothing was changed; the first answer counts.",
  },
)

export const TurnUnknown = defineError<{ id: string }>()("AGENTS_TURN_UNKNOWN", {
  family: "not-found",
  message: (it) => `No turn ${it.id} waits.`,
  hint: () => "It was sent already, or taken out of the queue.",
})

export const MessageUnknown = defineError<{ id: string; seq: number }>()("AGENTS_MESSAGE_UNKNOWN", {
  family: "not-found",
  message: (it) => `Run ${it.id} has no message ${it.seq}.`,
  hint: () => "Run qm runs messages to see their numbers.",
})

export const RunNotWorking = defineError<{ id: string; status: string }>()(
  "AGENTS_RUN_NOT_WORKING",
  {
    family: "conflict",
    message: (it) => `Run ${it.id} is ${it.status}; nothing works on it now.`,
    hint: () => "Send it a further turn, and it goes on.",
  },
)

export const OwnerSilent = defineError<{ id: string; seconds: number }>()("AGENTS_OWNER_SILENT", {
  family: "unavailable",
  message: (it) =>
    `The process that works on run ${it.id} did not stop it within ${it.seconds} seconds.`,
  hint: () => "Try again, or end that process; the run is then told as interrupted.",
})

export const SessionUnknown = defineError<{ id: string }>()("AGENTS_SESSION_UNKNOWN", {
  family: "not-found",
  message: (it) => `No host on this machine has kept a session ${it.id}.`,
  hint: () => "Run qm runs sessions to see what there is.",
})

export const VariablesGone = defineError<{ id: string; names: string }>()("AGENTS_VARIABLES_GONE", {
  family: "conflict",
  message: (it) => `Run ${it.id} was given variables that are not kept: ${it.names}.`,
  hint: () => "Start a new run with them, or hand this one off.",
})

export const BudgetSpentAlready = defineError<{ id: string; says: string }>()(
  "AGENTS_BUDGET_SPENT",
  {
    family: "conflict",
    message: (it) => `The budget of run ${it.id} is spent: ${it.says}.`,
    hint: () => "Hand it off, or start a new run with a larger budget.",
  },
)

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

export const SessionFileMissing = defineError<{ path: string }>()("AGENTS_SESSION_FILE_MISSING", {
  family: "not-found",
  message: (it) => `There is no session file at ${it.path}.`,
  hint: () => "Give the path of a session.jsonl that Quartermaster wrote.",
})

export const SessionFileForeign = defineError<{ path: string; reason: string }>()(
  "AGENTS_SESSION_FILE_FOREIGN",
  {
    family: "invalid",
    message: (it) => `${it.path} is no session of Quartermaster: ${it.reason}.`,
    hint: () => "A host's own transcript is read by its session id instead; list those first.",
  },
)

export const SessionFileNewer = defineError<{ path: string; version: number; ours: number }>()(
  "AGENTS_SESSION_FILE_NEWER",
  {
    family: "invalid",
    message: (it) =>
      `${it.path} has session format ${it.version}; this version reads up to ${it.ours}.`,
    hint: () => "Update Quartermaster, or export the session again with this version.",
  },
)

export const SessionFileCorrupt = defineError<{ path: string; line: number; reason: string }>()(
  "AGENTS_SESSION_FILE_CORRUPT",
  {
    family: "invalid",
    message: (it) => `Line ${it.line} of ${it.path} is no message: ${it.reason}.`,
    hint: (it) => `Nothing was imported. Export the session again, or take line ${it.line} out.`,
  },
)

export const SessionFileTooLarge = defineError<{ path: string; limit: string }>()(
  "AGENTS_SESSION_FILE_TOO_LARGE",
  {
    family: "invalid",
    message: (it) => `${it.path} holds more than ${it.limit}.`,
    hint: () => "Nothing was imported. Cut lines from its end until it is below that.",
  },
)

export const TranscriptUnreadable = defineError<{ path: string; reason: string }>()(
  "AGENTS_TRANSCRIPT_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The host's transcript ${it.path} cannot be read: ${it.reason}.`,
    hint: () => "List the host's sessions again; it may have been moved or deleted.",
  },
)
