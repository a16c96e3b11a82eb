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
