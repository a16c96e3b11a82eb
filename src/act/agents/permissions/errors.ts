import { defineError } from "#ground/base"

export const RulesUnreadable = defineError<{ file: string; reason: string }>()(
  "AGENTS_RULES_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The rules in ${it.file} cannot be read: ${it.reason}.`,
    hint: () => "Until this is fixed, agents ask before every change and command.",
  },
)

export const RulesInvalid = defineError<{ where: string; problem: string }>()(
  "AGENTS_RULES_INVALID",
  {
    family: "invalid",
    message: (it) => `The rules in ${it.where} are invalid: ${it.problem}.`,
    hint: () => "Correct them. Until then agents ask before every change and command.",
  },
)

export const RuleInvalid = defineError<{ problem: string }>()("AGENTS_RULE_INVALID", {
  family: "invalid",
  message: (it) => `The rule is invalid: ${it.problem}.`,
  hint: () =>
    "Give a tool, a command or a path. A star at the end of a command needs a space before it.",
})

export const RuleUnknown = defineError<{ id: string }>()("AGENTS_RULE_UNKNOWN", {
  family: "not-found",
  message: (it) => `Rule ${it.id} not found.`,
  hint: () => "Run `qm permissions` to list rule ids.",
})

export const RuleInSettings = defineError<{ id: string; key: string }>()(
  "AGENTS_RULE_IN_SETTINGS",
  {
    family: "conflict",
    message: (it) => `Rule ${it.id} is in the settings, not in the project file.`,
    hint: (it) =>
      `Run \`qm config show ${it.key} --sources\` to see its value and its file, then edit that file.`,
  },
)

export const RuleTooWide = defineError<{ tool: string }>()("AGENTS_RULE_TOO_WIDE", {
  family: "invalid",
  message: (it) => `No rule can allow exactly this use of ${it.tool} and nothing else.`,
  hint: () =>
    'Answer once, or add your own rule, such as `qm permissions add allow --command "npm test *"`.',
})

export const RulesNotTrusted = defineError<{ file: string }>()("AGENTS_RULES_NOT_TRUSTED", {
  family: "conflict",
  message: (it) => `${it.file} has allow rules in a version that you have not approved.`,
  hint: () => "Review them with `qm permissions`, then run `qm permissions trust`, or remove them.",
})

export const RulesChanged = defineError<{ file: string }>()("AGENTS_RULES_CHANGED", {
  family: "conflict",
  message: (it) => `${it.file} has changed since you read it; nothing was approved.`,
  hint: () =>
    "Review the rules again with `qm permissions`, then trust them with the digest that it shows.",
})

export const TooManyRules = defineError<{ most: number }>()("AGENTS_TOO_MANY_RULES", {
  family: "conflict",
  message: (it) => `The rules file already has ${it.most} rules, which is the limit.`,
  hint: () =>
    "List rules with `qm permissions` and remove some, or write one rule that covers several.",
})
