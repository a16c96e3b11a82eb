/** The documents give a rule file this much room. */
export const LONGEST_RULE_CHARACTERS = 12_000

/** Skills lie one folder deep. */
export const DEEPEST_SKILL_LEVELS = 1
