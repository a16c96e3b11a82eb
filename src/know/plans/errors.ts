import { defineError } from "#ground/base"

export const PlanUnknown = defineError<{ id: string }>()("PLAN_UNKNOWN", {
  family: "not-found",
  message: (it) => `Plan ${it.id} not found.`,
  hint: () => "Run `qm plan` to list plans, or `qm plan --archived` for old ones.",
})

export const PlanNotWaiting = defineError<{ id: string; status: string }>()("PLAN_NOT_WAITING", {
  family: "conflict",
  message: (it) => `Plan ${it.id} is ${it.status}; it waits for no answer.`,
  hint: (it) => `Run \`qm plan show ${it.id}\` to read the answer.`,
})

export const PlanNotApproved = defineError<{ id: string; status: string }>()("PLAN_NOT_APPROVED", {
  family: "denied",
  message: (it) => `Plan ${it.id} is ${it.status}; only steps of an approved plan are ticked off.`,
  hint: (it) => `A user approves it with \`qm plan approve ${it.id}\`.`,
})

export const PlanStepUnknown = defineError<{ id: string; step: number; most: number }>()(
  "PLAN_STEP_UNKNOWN",
  {
    family: "invalid",
    message: (it) => `Plan ${it.id} has no step ${it.step}; it has ${it.most}.`,
    hint: (it) => `Run \`qm plan show ${it.id}\` to list its steps.`,
  },
)

export const PlanUnreadable = defineError<{ file: string; problem: string }>()("PLAN_UNREADABLE", {
  family: "invalid",
  message: (it) => `${it.file} cannot be read as a plan: ${it.problem}.`,
  hint: () => "Repair the file by hand, or delete it.",
})

export const TooManyPlans = defineError<{ most: number }>()("PLAN_TOO_MANY", {
  family: "too-many",
  message: (it) => `There are already ${it.most} open plans.`,
  hint: () => "List them with `qm plan`, then archive old ones.",
})

export const NoSession = defineError<Record<string, never>>()("PLAN_NO_SESSION", {
  family: "invalid",
  message: () => "The notes belong to a session, and none is given.",
  hint: () => "Add --session with the session's id, listed by `qm sessions`.",
})

export const StateFull = defineError<{ session: string; most: number }>()("PLAN_STATE_FULL", {
  family: "too-many",
  message: (it) => `Session ${it.session} already has ${it.most} notes.`,
  hint: () => "Remove one first: call it with its key and remove.",
})
