import { defineError, formatExact } from "#ground/base"

export const TaskEmpty = defineError<Record<never, never>>()("PACK_TASK_EMPTY", {
  family: "invalid",
  message: () => "The task is empty, and no file is named.",
  hint: () => "Say in words what is to be done, or name files as targets.",
})

export const BudgetInvalid = defineError<{ budget: number }>()("PACK_BUDGET_INVALID", {
  family: "invalid",
  message: (it) => `The budget is ${it.budget}, which is no whole number of at least 1.`,
  hint: () => "Give a whole number of tokens, for example 8000.",
})

export const BudgetTooSmall = defineError<{ budget: number; needed: number; what: string }>()(
  "PACK_BUDGET_TOO_SMALL",
  {
    family: "invalid",
    message: (it) =>
      `${it.what} needs ${formatExact(it.needed)} tokens; the budget is ${formatExact(it.budget)}.`,
    hint: (it) => `Raise the budget to at least ${formatExact(it.needed)}, or name fewer targets.`,
  },
)

export const PackWeightsInvalid = defineError<{ ast: number; semantic: number }>()(
  "PACK_WEIGHTS_INVALID",
  {
    family: "invalid",
    message: (it) => `The weights of structure and words are ${it.ast} and ${it.semantic}.`,
    hint: () =>
      "Give two numbers of at least 0, one of them above 0: pack.astWeight, semanticWeight.",
  },
)

export const RoleUnknown = defineError<{ role: string; known: readonly string[] }>()(
  "PACK_ROLE_UNKNOWN",
  {
    family: "invalid",
    message: (it) => `There is no role ${it.role}. Known: ${it.known.join(", ")}.`,
    hint: () => "Use one of the known roles, or describe it under pack.roles.",
  },
)

export const TargetOutside = defineError<{ path: string }>()("PACK_TARGET_OUTSIDE", {
  family: "invalid",
  message: (it) => `${it.path} lies outside of the repository.`,
  hint: () => "Name a file below the root of the repository.",
})

export const TargetUnknown = defineError<{ path: string; nearest?: string; unread?: string }>()(
  "PACK_TARGET_UNKNOWN",
  {
    family: "not-found",
    message: (it) =>
      it.unread === undefined
        ? `There is no file ${it.path} in the index.`
        : `${it.path} is ${it.unread}, and such files take no part.`,
    hint: (it) =>
      it.nearest === undefined || it.nearest.length > 80
        ? "Name a path as qm map shows it; a new file is known after qm map."
        : `Did you mean ${it.nearest}? A new file is known after qm map.`,
  },
)

export const TargetDenied = defineError<{ path: string; reason: string }>()("PACK_TARGET_DENIED", {
  family: "denied",
  message: (it) => `${it.path} may not be in a package: ${it.reason}.`,
  hint: () => "Leave it out of the targets; pack.deny and pack.roles say what is denied.",
})

export const RuleInvalid = defineError<{ setting: string; rule: string; wrong: string }>()(
  "PACK_RULE_INVALID",
  {
    family: "invalid",
    message: (it) => `${it.setting} has a rule that cannot be used, ${it.rule}: ${it.wrong}.`,
    hint: () => "Write prefix=name for domains, role +glob -glob for roles, and globs for deny.",
  },
)

export const OutRefused = defineError<Record<never, never>>()("PACK_OUT_REFUSED", {
  family: "denied",
  message: () => "Only the command line may write a package into a file.",
  hint: () => "Leave out away, and take the text from the answer.",
})

export const PackUnknown = defineError<{ id: string }>()("PACK_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no kept package ${it.id}.`,
  hint: () => "List the packages with pack.list, or build one with pack.build.",
})

export const GuidelinesInvalid = defineError<{ path: string; field: string; wrong: string }>()(
  "PACK_GUIDELINES_INVALID",
  {
    family: "invalid",
    message: (it) => `The guidelines in ${it.path} cannot be used; ${it.field}: ${it.wrong}.`,
    hint: () => "Correct the field in the file; qm guidelines shows those that apply.",
  },
)
