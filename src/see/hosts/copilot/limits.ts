/** Imports behind imports; the ninth stays a name. */
export const DEEPEST_IMPORT_LEVELS = 8

/** A rule file of the person that is larger is left out. */
export const LARGEST_USER_RULE_BYTES = 1024 * 1024

/** A skill with a longer name, or a longer description, is dropped. */
export const LONGEST_SKILL_NAME_CHARACTERS = 64
export const LONGEST_DESCRIPTION_CHARACTERS = 1_024
