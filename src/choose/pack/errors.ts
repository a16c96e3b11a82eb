import { defineError, formatExact } from "#ground/base"

export const TaskEmpty = defineError<Record<never, never>>()("PACK_TASK_EMPTY", {
  family: "invalid",
  message: () => "The task is empty and there is no target.",
  hint: () => "Describe the task in words, or name target files.",
})

export const BudgetInvalid = defineError<{ budget: number }>()("PACK_BUDGET_INVALID", {
  family: "invalid",
  message: (it) => `The budget is ${it.budget}; it must be a whole number of at least 1.`,
  hint: () => "Pass a whole number of tokens, for example 8000.",
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
    message: (it) =>
      `The weights of structure and words are ${it.ast} and ${it.semantic}; one must be above 0.`,
    hint: () =>
      "Set pack.astWeight and pack.semanticWeight to numbers of at least 0, one of them above 0.",
  },
)

export const RoleUnknown = defineError<{ role: string; known: readonly string[] }>()(
  "PACK_ROLE_UNKNOWN",
  {
    family: "invalid",
    message: (it) => `Unknown role ${it.role}. Known roles: ${it.known.join(", ")}.`,
    hint: () => "Use a known role, or define it in pack.roles.",
  },
)

export const TargetOutside = defineError<{ path: string }>()("PACK_TARGET_OUTSIDE", {
  family: "invalid",
  message: (it) => `${it.path} is outside the repository.`,
  hint: () => "Pass a path below the root of the repository.",
})

export const TargetUnknown = defineError<{ path: string; nearest?: string; unread?: string }>()(
  "PACK_TARGET_UNKNOWN",
  {
    family: "not-found",
    message: (it) =>
      it.unread === undefined
        ? `The index has no file ${it.path}.`
        : `${it.path} is ${it.unread}, and such files are not indexed.`,
    hint: (it) =>
      it.nearest === undefined || it.nearest.length > 80
        ? "Use a path that `qm map tree` shows. For a new file, run `qm map` first."
        : `Did you mean ${it.nearest}? For a new file, run \`qm map\` first.`,
  },
)

export const TargetDenied = defineError<{ path: string; reason: string }>()("PACK_TARGET_DENIED", {
  family: "denied",
  message: (it) => `${it.path} is denied: ${it.reason}.`,
  hint: () => "Remove it from the targets, or change pack.deny or pack.roles.",
})

export const RuleInvalid = defineError<{ setting: string; rule: string; wrong: string }>()(
  "PACK_RULE_INVALID",
  {
    family: "invalid",
    message: (it) => `${it.setting} has an invalid rule ${it.rule}: ${it.wrong}.`,
    hint: () =>
      "Write prefix=name in pack.domains, role +glob -glob in pack.roles, globs in pack.deny.",
  },
)

export const OutRefused = defineError<Record<never, never>>()("PACK_OUT_REFUSED", {
  family: "denied",
  message: () => "Only the command line may write a package to a file.",
  hint: () => "Omit `out` and use the text of the response.",
})

export const PackUnknown = defineError<{ id: string }>()("PACK_UNKNOWN", {
  family: "not-found",
  message: (it) =>
    it.id === "last"
      ? "No package is stored in this repository yet."
      : `No stored package has the id ${it.id}.`,
  hint: (it) =>
    it.id === "last"
      ? 'Build one, such as `qm pack "fix the login"`.'
      : "Run `qm pack list` to list package ids.",
})

export const GuidelinesInvalid = defineError<{ path: string; field: string; wrong: string }>()(
  "PACK_GUIDELINES_INVALID",
  {
    family: "invalid",
    message: (it) => `The guidelines in ${it.path} are invalid; ${it.field}: ${it.wrong}.`,
    hint: () => "Correct this field in the file; `qm guidelines` lists the guidelines that apply.",
  },
)
