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
