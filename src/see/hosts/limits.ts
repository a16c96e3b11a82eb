/** How deep folders of rules, commands and skills are followed; links could make them endless. */
export const DEEPEST_FOLDER_LEVELS = 16

/** Settings, MCP and other files of a host that are parsed, never sent. */
export const SETTINGS_LIMIT_BYTES = 4 * 1024 * 1024

/** No system has longer paths. */
export const LONGEST_MATCHED_PATH_UNITS = 4_096

/** A head of YAML has a few lines; the parser takes up to a second for 100 kB of brackets. */
export const LONGEST_HEAD_UNITS = 32_000

/** Names behind an @ that are followed in one file; long ones of real life have dozens. */
export const MOST_MENTIONS = 2_000

/** An instruction file that is read at all; the hosts send far less, or refuse far earlier. */
export const LARGEST_INSTRUCTION_BYTES = 16 * 1024 * 1024

/** Sessions that are looked at before we say that there was none here. */
export const MOST_SESSIONS_LOOKED_AT = 50

/** Of one session; what a host loads at its start stands in the first few hundred kilobytes. */
export const LARGEST_SESSION_HEAD_BYTES = 4 * 1024 * 1024
