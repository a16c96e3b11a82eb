import { defineError, formatExact } from "#ground/base"

export const InputInvalid = defineError<{ what: string; problem: string }>()("FOLD_INVALID_INPUT", {
  family: "invalid",
  message: (it) => `The ${it.what} ${it.problem}.`,
  hint: (it) => `Nothing changed. Call again with another ${it.what}.`,
})

export const DepthExceeded = defineError<{ most: number }>()("FOLD_DEPTH_EXCEEDED", {
  family: "conflict",
  message: (it) => `Branches can be nested ${it.most} levels deep, and this one would be deeper.`,
  hint: () => "Do this step in the current branch, or return from it first.",
})

export const TooMany = defineError<{ what: string; limit: number; retryAfterSeconds: number }>()(
  "FOLD_TOO_MANY",
  {
    family: "too-many",
    message: (it) =>
      `${it.what}; the limit is ${formatExact(it.limit)}. ` +
      `Retry in ${formatExact(it.retryAfterSeconds)} seconds.`,
    hint: (it) =>
      `Return from a finished branch, or call branch again in ${it.retryAfterSeconds} seconds.`,
  },
)

export const FoldDisabled = defineError<Record<never, never>>()("FOLD_DISABLED", {
  family: "denied",
  message: () => "Branches are disabled here.",
  hint: () => "Continue without a branch. The user can set context_folding.enabled to true.",
})

/** The same error for unknown, foreign and expired ids. */
export const FoldNotFound = defineError<Record<never, never>>()("FOLD_NOT_FOUND", {
  family: "not-found",
  message: () => "Branch or handle not found.",
  hint: () =>
    "Use an id of this session: agents list them with branch_status, users with `qm fold --all`.",
})

export const AlreadyCompleted = defineError<{ id: string; status: string; reason: string }>()(
  "FOLD_ALREADY_COMPLETED",
  {
    family: "conflict",
    message: (it) => `Branch ${it.id} has ended: ${it.status}, ${it.reason}.`,
    hint: () => "Nothing changed. Call branch_status with this branch_id to get its result.",
  },
)

export const CannotReturnFromRoot = defineError<Record<never, never>>()(
  "FOLD_CANNOT_RETURN_FROM_ROOT",
  {
    family: "conflict",
    message: () => "No branch is active in this session, so there is nothing to return from.",
    hint: () => "Continue the task itself; open a branch first to fold a sub-task.",
  },
)

/** Without its cause, whose message may contain the text. */
export const ScrubFailed = defineError<Record<never, never>>()("FOLD_SCRUB_FAILED", {
  family: "unavailable",
  message: () =>
    "The text could not be scanned for secrets, so it was neither stored nor returned.",
  hint: () => "Nothing changed. Try again; if it fails again, the user should read the log.",
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
    `its budget has no room for this result, which is stored as ${it.handle}.`,
  hint: (it) =>
    `Call return with what you have: it is accepted. Afterwards read_handle ${it.handle} gives this result.`,
})

export const FoldClosed = defineError<Record<never, never>>()("FOLD_CLOSED", {
  family: "unavailable",
  message: () => "This process is shutting down and opens no more branches.",
  hint: () => "Restart it, then call branch again.",
})
