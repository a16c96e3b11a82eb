/** Limit for folders of rules, commands and skills; links could make them endless. */
export const DEEPEST_FOLDER_LEVELS = 16

/** Settings of a host; a repository can bring some, and 256 kB take up to 100 ms to parse and redact. */
export const SETTINGS_LIMIT_BYTES = 256 * 1024

/** The user's own state, which grows with every project. */
export const STATE_LIMIT_BYTES = 4 * 1024 * 1024

/** No system has longer paths. */
export const LONGEST_MATCHED_PATH_UNITS = 4_096

/** Frontmatter has a few lines; the YAML parser takes up to 5 µs a character. */
export const LONGEST_HEAD_UNITS = 12_000

/** Imports followed in one file; real files have dozens. */
export const MOST_MENTIONS = 2_000

/** Hosts send far less or refuse earlier. */
export const LARGEST_INSTRUCTION_BYTES = 16 * 1024 * 1024

/** Sessions read before we report that there was none here. */
export const MOST_SESSIONS_LOOKED_AT = 50

/** Per session; the context at the start is in the first few hundred kilobytes. */
export const LARGEST_SESSION_HEAD_BYTES = 4 * 1024 * 1024
