/** Entries of one folder: a rules or skills folder of real life has dozens. */
export const LARGEST_LISTED_ENTRIES = 10_000

/** How deep folders of rules, commands and skills are followed; links could make them endless. */
export const DEEPEST_FOLDER_LEVELS = 16

/** Files that one survey reads; the bench holds it linear to 2,000. */
export const MOST_FILES_READ = 5_000

/** Bytes that one survey reads; the largest home we know has 3 MB, and 64 MB stay in memory easily. */
export const MOST_BYTES_READ = 64 * 1024 * 1024

/** Settings, MCP and other files of a host that are parsed, never sent. */
export const SETTINGS_LIMIT_BYTES = 4 * 1024 * 1024

/** A pattern for paths that people write has tens of characters. */
export const LONGEST_GLOB_UNITS = 1_000

/** Readings of the choices in one pattern, `{a,b}/{c,d}` has four; each is a search of its own. */
export const MOST_GLOB_SPELLINGS = 64

/** No system has longer paths. */
export const LONGEST_MATCHED_PATH_UNITS = 4_096

/** A head of YAML has a few lines; the parser takes up to a second for 100 kB of brackets. */
export const LONGEST_HEAD_UNITS = 32_000

/** Names behind an @ that are followed in one file; long ones of real life have dozens. */
export const MOST_MENTIONS = 2_000

/**
 * A Markdown text that is taken apart, in units of plain text. The lexer reads runs of backticks again and again: 400 kB of
 * the worst take a fifth of a second, 2 MB five. The second is for all files of one survey.
 */
export const LONGEST_LEXED_UNITS = 400_000
export const MOST_LEXED_UNITS = 8_000_000
