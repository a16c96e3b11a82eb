/** Of all project files together, unless the config says otherwise; so Codex 0.166.0. */
export const DEFAULT_PROJECT_DOC_BYTES = 32 * 1024

/** How deep Codex goes into a folder of skills. */
export const DEEPEST_SKILL_LEVELS = 6

/** A skill with a longer name is dropped. */
export const LONGEST_SKILL_NAME_CHARACTERS = 64

/** A longer description is cut, with three dots for the last characters. */
export const LONGEST_DESCRIPTION_CHARACTERS = 1_024

/**
 * Above it Codex shortens descriptions: two hundredths of the model's window, here of the 272,000
 * tokens of its own models, at four bytes a token.
 */
export const SKILL_LIST_LIMIT_BYTES = 272_000 * 0.02 * 4
