import { defineError } from "#ground/base"

export const RunUnknown = defineError<{ id: string }>()("AGENTS_RUN_UNKNOWN", {
  family: "not-found",
  message: (it) => `Run ${it.id} not found.`,
  hint: () => "Run `qm runs` to list run ids.",
})

export const DirectoryUnusable = defineError<{ path: string; reason: string }>()(
  "AGENTS_DIRECTORY_UNUSABLE",
  {
    family: "invalid",
    message: (it) => `An agent cannot work in ${it.path}: ${it.reason}.`,
    hint: () => "Use a directory inside this repository, or omit it.",
  },
)

export const ProgramMissing = defineError<{ type: string; install: string }>()(
  "AGENTS_PROGRAM_MISSING",
  {
    family: "unavailable",
    message: (it) => `${it.type} was not found on this machine.`,
    hint: (it) => `${it.install} It must be on the PATH.`,
  },
)

export const TooManyQueued = defineError<{ id: string; most: number }>()("AGENTS_QUEUE_FULL", {
  family: "conflict",
  message: (it) => `Run ${it.id} already has ${it.most} queued turns, which is the limit.`,
  hint: () => "Wait until some are sent, or remove one.",
})

export const ApprovalUnknown = defineError<{ id: string }>()("AGENTS_APPROVAL_UNKNOWN", {
  family: "not-found",
  message: (it) => `Approval ${it.id} not found.`,
  hint: () => "Its run may have been deleted. Run `qm approvals` to list open approvals.",
})

export const ApprovalAnswered = defineError<{ id: string; status: string; by: string }>()(
  "AGENTS_APPROVAL_ANSWERED",
  {
    family: "conflict",
    message: (it) => `Approval ${it.id} was already answered: ${it.status} by ${it.by}.`,
    hint: () => "Nothing changed; only the first answer counts.",
  },
)

export const TurnUnknown = defineError<{ id: string }>()("AGENTS_TURN_UNKNOWN", {
  family: "not-found",
  message: (it) => `Queued turn ${it.id} not found.`,
  hint: () => "It was already sent or removed from the queue.",
})

export const MessageUnknown = defineError<{ id: string; seq: number }>()("AGENTS_MESSAGE_UNKNOWN", {
  family: "not-found",
  message: (it) => `Run ${it.id} has no message ${it.seq}.`,
  hint: (it) => `Run \`qm runs messages ${it.id}\` to list message numbers.`,
})

export const RunNotWorking = defineError<{ id: string; status: string }>()(
  "AGENTS_RUN_NOT_WORKING",
  {
    family: "conflict",
    message: (it) => `Run ${it.id} is ${it.status} and not active.`,
    hint: () => "Send a follow-up turn to resume it.",
  },
)

export const OwnerSilent = defineError<{ id: string; seconds: number }>()("AGENTS_OWNER_SILENT", {
  family: "unavailable",
  message: (it) =>
    `The process that works on run ${it.id} did not stop it within ${it.seconds} seconds.`,
  hint: () => "Try again, or end that process; the run then becomes interrupted.",
})

export const SessionUnknown = defineError<{ id: string }>()("AGENTS_SESSION_UNKNOWN", {
  family: "not-found",
  message: (it) => `No host on this machine has a session ${it.id}.`,
  hint: () => "Run `qm sessions stored` to list the sessions of hosts.",
})

export const VariablesGone = defineError<{ id: string; names: string }>()("AGENTS_VARIABLES_GONE", {
  family: "conflict",
  message: (it) => `Run ${it.id} was started with variables that are not stored: ${it.names}.`,
  hint: () => "Start a new run with these variables, or hand this run off.",
})

export const BudgetSpentAlready = defineError<{ id: string; says: string }>()(
  "AGENTS_BUDGET_SPENT",
  {
    family: "conflict",
    message: (it) => `The budget of run ${it.id} is spent: ${it.says}.`,
    hint: () => "Hand the run off, or start a new run with a larger budget.",
  },
)

export const AgentNotStarted = defineError<{ title: string; reason: string }>()(
  "AGENTS_NOT_STARTED",
  {
    family: "unavailable",
    message: (it) => `${it.title} could not be started: ${it.reason}.`,
    hint: () => "Check that the program runs in a terminal and that the folder exists.",
  },
)

export const AgentEnded = defineError<{ title: string; how: string; words: string }>()(
  "AGENTS_HOST_ENDED",
  {
    family: "unavailable",
    message: (it) =>
      `${it.title} ended ${it.how}.${it.words === "" ? "" : ` Its last output: ${it.words}`}`,
    hint: () => "Send the next message to continue in a new process, or read the host's own log.",
  },
)

export const AgentSilent = defineError<{ title: string; seconds: number }>()("AGENTS_HOST_SILENT", {
  family: "unavailable",
  message: (it) => `${it.title} did not start a session within ${it.seconds} seconds.`,
  hint: () => "Start it in a terminal: it may be waiting for a login or an MCP server.",
})

export const AgentNotUnderstood = defineError<{ title: string; what: string }>()(
  "AGENTS_NOT_UNDERSTOOD",
  {
    family: "unavailable",
    message: (it) => `${it.title} does not follow the expected protocol: ${it.what}.`,
    hint: () => "Run `qm doctor` to see which program and version is used.",
  },
)

export const AgentRefused = defineError<{ title: string; what: string; reason: string }>()(
  "AGENTS_HOST_REFUSED",
  {
    family: "unavailable",
    message: (it) => `${it.title} rejected ${it.what}: ${it.reason}`,
    hint: () => "Start a new session, or correct what the message names.",
  },
)

export const SessionOver = defineError<{ title: string }>()("AGENTS_SESSION_OVER", {
  family: "conflict",
  message: (it) => `This session of ${it.title} has ended.`,
  hint: () => "Start a new session, or resume this one by its session id.",
})

export const TurnRunning = defineError<{ title: string }>()("AGENTS_TURN_RUNNING", {
  family: "conflict",
  message: (it) => `${it.title} is busy with a turn.`,
  hint: () => "Wait until the turn ends, or interrupt it.",
})

export const QuestionUnknown = defineError<{ approvalId: string }>()("AGENTS_QUESTION_UNKNOWN", {
  family: "not-found",
  message: (it) => `Approval ${it.approvalId} is not open.`,
  hint: () => "It was already answered, or its turn has ended.",
})

export const ScriptInvalid = defineError<{ line: number; problem: string }>()(
  "AGENTS_SCRIPT_INVALID",
  {
    family: "invalid",
    message: (it) => `Line ${it.line} of the script is not a valid event: ${it.problem}.`,
    hint: () => "Write one JSON event per line, with the delay `after` in milliseconds.",
  },
)

export const ScriptUnknown = defineError<{ name: string; names: readonly string[] }>()(
  "AGENTS_SCRIPT_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `Script ${it.name} not found.`,
    hint: (it) => `Use one of ${it.names.join(", ")}, or pass JSON lines.`,
  },
)

export const SessionFileMissing = defineError<{ path: string }>()("AGENTS_SESSION_FILE_MISSING", {
  family: "not-found",
  message: (it) => `Session file ${it.path} not found.`,
  hint: () => "Pass the path of a session.jsonl that Quartermaster wrote.",
})

export const SessionFileForeign = defineError<{ path: string; reason: string }>()(
  "AGENTS_SESSION_FILE_FOREIGN",
  {
    family: "invalid",
    message: (it) => `${it.path} is not a Quartermaster session file: ${it.reason}.`,
    hint: () => "To import a host's transcript, run `qm sessions stored` and use its session id.",
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
    message: (it) => `Line ${it.line} of ${it.path} is not a valid message: ${it.reason}.`,
    hint: (it) => `Nothing was imported. Export the session again, or remove line ${it.line}.`,
  },
)

export const SessionFileTooLarge = defineError<{ path: string; limit: string }>()(
  "AGENTS_SESSION_FILE_TOO_LARGE",
  {
    family: "invalid",
    message: (it) => `${it.path} contains more than ${it.limit}.`,
    hint: () => "Nothing was imported. Remove lines from the end until it is below the limit.",
  },
)

export const TranscriptUnreadable = defineError<{ path: string; reason: string }>()(
  "AGENTS_TRANSCRIPT_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The host's transcript ${it.path} cannot be read: ${it.reason}.`,
    hint: () =>
      "The file may have been moved or deleted. Run `qm sessions stored` to list sessions again.",
  },
)

export const OrganisingFull = defineError<{ what: string; most: number }>()(
  "AGENTS_ORGANISING_FULL",
  {
    family: "too-many",
    message: (it) => `There are already ${it.most} ${it.what}.`,
    hint: (it) => `Remove one of the ${it.what} first: \`qm organise\` lists them.`,
  },
)

export const StateAfterUnknown = defineError<{ name: string; known: readonly string[] }>()(
  "AGENTS_STATE_AFTER_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `No workflow state is called "${it.name}".`,
    hint: (it) => `States: ${it.known.join(", ")}`.slice(0, 160),
  },
)

export const WorkflowUnknown = defineError<{ name: string; known: readonly string[] }>()(
  "AGENTS_WORKFLOW_UNKNOWN",
  {
    family: "invalid",
    message: (it) => `"${it.name}" is not a state of the workflow.`,
    hint: (it) =>
      `States: ${it.known.join(", ")}. Add it with \`qm organise state ${it.name}\`.`.slice(0, 160),
  },
)

export const LabelParentUnknown = defineError<{ name: string; parent: string }>()(
  "AGENTS_LABEL_PARENT_UNKNOWN",
  {
    family: "not-found",
    message: (it) => `The parent "${it.parent}" of the label "${it.name}" is not defined.`,
    hint: (it) => `Define the parent first with \`qm organise label ${it.parent}\`.`.slice(0, 160),
  },
)

export const LabelCircle = defineError<{ name: string; most: number }>()("AGENTS_LABEL_CIRCLE", {
  family: "invalid",
  message: (it) => `The label "${it.name}" would be above itself, or below ${it.most} others.`,
  hint: () => "Choose another parent: `qm organise` lists the labels.",
})

export const TitleNotWritten = defineError<{ id: string; type: string }>()(
  "AGENTS_TITLE_NOT_WRITTEN",
  {
    family: "unavailable",
    message: (it) =>
      `The model of ${it.type} wrote no usable title for ${it.id}; it stays as it is.`,
    hint: (it) => `Set one yourself: \`qm runs edit ${it.id} --title "…"\`.`,
  },
)

export const ProtocolVersionUnsupported = defineError<{
  title: string
  version: number
  ours: number
}>()("AGENTS_PROTOCOL_VERSION", {
  family: "unavailable",
  message: (it) =>
    `${it.title} speaks version ${it.version} of the Agent Client Protocol; this version of Quartermaster speaks version ${it.ours}.`,
  hint: () => "Install a version of the agent that speaks it, or update Quartermaster.",
})

export const SignInMissing = defineError<{ title: string; ways: string }>()(
  "AGENTS_SIGN_IN_MISSING",
  {
    family: "denied",
    message: (it) =>
      `${it.title} is not signed in.${it.ways === "" ? "" : ` It offers: ${it.ways}.`}`,
    hint: () => "Start it once in a terminal and sign in, or set its API key, then try again.",
  },
)

export const SourcesNotSupported = defineError<{ title: string }>()(
  "AGENTS_SOURCES_NOT_SUPPORTED",
  {
    family: "invalid",
    message: (it) => `${it.title} cannot be limited to some MCP servers.`,
    hint: () => "Start the run without sources, or use Claude Code, Codex, Copilot or Gemini.",
  },
)
