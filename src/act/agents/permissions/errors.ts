import { defineError } from "#ground/base"

export const RulesUnreadable = defineError<{ file: string; reason: string }>()(
  "AGENTS_RULES_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The rules in ${it.file} cannot be read: ${it.reason}.`,
    hint: () => "Until it can be, agents ask for whatever they would change or run.",
  },
)

export const RulesInvalid = defineError<{ where: string; problem: string }>()(
  "AGENTS_RULES_INVALID",
  {
    family: "invalid",
    message: (it) => `The rules in ${it.where} are wrong: ${it.problem}.`,
    hint: () => "Correct them; until then agents ask for whatever they would change or run.",
  },
)

export const RuleInvalid = defineError<{ problem: string }>()("AGENTS_RULE_INVALID", {
  family: "invalid",
  message: (it) => `This is no rule: ${it.problem}.`,
  hint: () => "Name a tool, a command or a path; a star at the end of a command needs a blank.",
})

export const RuleUnknown = defineError<{ id: string }>()("AGENTS_RULE_UNKNOWN", {
  family: "not-found",
  message: (it) => `There is no rule ${it.id}.`,
  hint: () => "Run qm permissions to see the ids.",
})

export const RuleInSettings = defineError<{ id: string; key: string }>()(
  "AGENTS_RULE_IN_SETTINGS",
  {
    family: "conflict",
    message: (it) => `Rule ${it.id} stands in the settings and not in the project's file.`,
    hint: (it) => `Change it with qm config set ${it.key}.`,
  },
)

export const RuleTooWide = defineError<{ tool: string }>()("AGENTS_RULE_TOO_WIDE", {
  family: "invalid",
  message: (it) => `No rule allows exactly this use of ${it.tool} and nothing else.`,
  hint: () => "Answer it this once, or write a rule of your own with qm permissions add.",
})

export const RulesNotTrusted = defineError<{ file: string }>()("AGENTS_RULES_NOT_TRUSTED", {
  family: "conflict",
  message: (it) => `${it.file} has allowing rules that you have not approved as they are now.`,
  hint: () => "Read them with qm permissions, then run qm permissions trust, or remove them.",
})

export const RulesChanged = defineError<{ file: string }>()("AGENTS_RULES_CHANGED", {
  family: "conflict",
  message: (it) => `${it.file} has changed since you read it; nothing was approved.`,
  hint: () => "Read the rules again with qm permissions, and trust them with the digest it shows.",
})

export const TooManyRules = defineError<{ most: number }>()("AGENTS_TOO_MANY_RULES", {
  family: "conflict",
  message: (it) => `There are already ${it.most} rules.`,
  hint: () => "Remove some with qm permissions remove, or write one that covers several.",
})
