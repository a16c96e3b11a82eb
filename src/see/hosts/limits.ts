/** Limit for folders of rules, commands and skills; links could make them endless. */
export const DEEPEST_FOLDER_LEVELS = 16

/** Files of a host that are parsed and never sent. */
export const SETTINGS_LIMIT_BYTES = 4 * 1024 * 1024

/** No system has longer paths. */
export const LONGEST_MATCHED_PATH_UNITS = 4_096

/** Frontmatter has a few lines; the parser takes up to a second for 100 kB of brackets. */
export const LONGEST_HEAD_UNITS = 32_000

/** Imports followed in one file; real files have dozens. */
export const MOST_MENTIONS = 2_000

/** Hosts send far less or refuse earlier. */
export const LARGEST_INSTRUCTION_BYTES = 16 * 1024 * 1024

/** Sessions read before we report that there was none here. */
export const MOST_SESSIONS_LOOKED_AT = 50

/** Per session; the context at the start is in the first few hundred kilobytes. */
export const LARGEST_SESSION_HEAD_BYTES = 4 * 1024 * 1024
