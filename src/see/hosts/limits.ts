/** Entries of one folder: a rules or skills folder of real life has dozens. */
export const LARGEST_LISTED_ENTRIES = 10_000

/** How deep folders of rules, commands and skills are followed; links could make them endless. */
export const DEEPEST_FOLDER_LEVELS = 16

/** Files that one survey reads; the bench holds it linear to 2,000. */
export const MOST_FILES_READ = 5_000

/** Settings, MCP and other files of a host that are parsed, never sent. */
export const SETTINGS_LIMIT_BYTES = 4 * 1024 * 1024
