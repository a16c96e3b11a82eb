import { defineError, formatExact } from "#ground/base"

export const InputInvalid = defineError<{ what: string; problem: string }>()("FOLD_INVALID_INPUT", {
  family: "invalid",
  message: (it) => `The ${it.what} ${it.problem}.`,
  hint: (it) => `Call again with another ${it.what}; nothing was changed.`,
})

export const DepthExceeded = defineError<{ most: number }>()("FOLD_DEPTH_EXCEEDED", {
  family: "conflict",
  message: (it) => `Branches may lie ${it.most} deep, and this one would lie deeper.`,
  hint: () => "Do this step in the branch you are in, or return from it first.",
})

export const TooMany = defineError<{ what: string; limit: number; retryAfterSeconds: number }>()(
  "FOLD_TOO_MANY",
  {
    family: "too-many",
    message: (it) =>
      `${it.what}, and the limit is ${formatExact(it.limit)}. ` +
      `Retry in ${formatExact(it.retryAfterSeconds)} seconds.`,
    hint: (it) =>
      `Return from a branch that is done, or call branch again in ${it.retryAfterSeconds} seconds.`,
  },
)

export const FoldDisabled = defineError<Record<never, never>>()("FOLD_DISABLED", {
  family: "denied",
  message: () => "Branches are switched off here.",
  hint: () => "Go on without a branch; a person can set context_folding.enabled to true.",
})

/** The same error for unknown, foreign and expired ids. */
export const FoldNotFound = defineError<Record<never, never>>()("FOLD_NOT_FOUND", {
  family: "not-found",
  message: () => "There is no such branch or handle here.",
  hint: () =>
    "Use an id of this session: branch_status lists them for an agent, `qm fold --all` for a person.",
})

export const AlreadyCompleted = defineError<{ id: string; status: string; reason: string }>()(
  "FOLD_ALREADY_COMPLETED",
  {
    family: "conflict",
    message: (it) => `Branch ${it.id} is over: ${it.status}, ${it.reason}.`,
    hint: () => "Nothing was changed. branch_status with this branch_id tells its result.",
  },
)

export const CannotReturnFromRoot = defineError<Record<never, never>>()(
  "FOLD_CANNOT_RETURN_FROM_ROOT",
  {
    family: "conflict",
    message: () => "No branch is active in this session, and the root cannot be returned from.",
    hint: () => "Go on with the task itself; open a branch first if a sub-task is to be folded.",
  },
)

/** Without its cause, whose message may contain the text. */
export const ScrubFailed = defineError<Record<never, never>>()("FOLD_SCRUB_FAILED", {
  family: "unavailable",
  message: () => "Secrets could not be looked for, so no text was kept or handed out.",
  hint: () => "Nothing was changed. Try again; if it stays so, a person should look at the log.",
})

export const BudgetExhausted = defineError<{
  branchId: string
  used: number
  total: number
  handle: string
}>()("FOLD_BUDGET_EXHAUSTED", {
  family: "conflict",
  message: (it) =>
    `Branch ${it.branchId} has used ${formatExact(it.used)} of ${formatExact(it.total)} tokens; ` +
    `this result would pass its budget. It has been ended, and the result is kept as ${it.handle}.`,
  hint: (it) =>
    `Go on in the parent: branch_status tells what was known, read_handle ${it.handle}.`,
})

export const FoldClosed = defineError<Record<never, never>>()("FOLD_CLOSED", {
  family: "unavailable",
  message: () => "This process is shutting down and opens no branch.",
  hint: () => "Start it again, and call branch again.",
})
