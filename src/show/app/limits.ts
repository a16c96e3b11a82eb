/** A config file is written by hand; a megabyte is already a mistake (or an attack). */
export const CONFIG_FILE_LIMIT_BYTES = 1_000_000

/** The doctor warns when the disk under the store has less than this: room for a few days' work. */
export const LOW_DISK_BYTES = 200_000_000

/** The largest file whose tokens are counted on request; the window of any model is smaller. */
export const COUNTED_FILE_LIMIT_BYTES = 50_000_000

/** Type stripping without flags and a SQLite that is safe for several processes. */
export const OLDEST_NODE_MAJOR = 24

/** git answers its version at once, or something is wrong with it. */
export const GIT_VERSION_TIMEOUT_MS = 5_000

/** Files of a working tree that a rule is tried on; a larger tree is left alone. */
export const LARGEST_LISTED_TREE_FILES = 20_000

/** A prepared token table: claude's has 1.0 MB, o200k's 3 MB. */
export const PREPARED_TABLE_LIMIT_BYTES = 16 * 1024 * 1024

/** Folders whose `.env` files are read to know their secrets elsewhere. */
export const MOST_ENVIRONMENT_FOLDERS = 32

/** The salt of redactions: 64 digits and a newline. */
export const SALT_LIMIT_BYTES = 200

/** Of a branch or folder that is named to an agent. */
export const LONGEST_BRANCH_CHARACTERS = 200

/** The newest runs, of which the first page shows what runs, waits or ended today. */
export const RUNS_ON_FIRST_PAGE = 200

/** Some hundred guidelines of their longest text; more is no file that a person wrote. */
export const GUIDELINE_FILE_LIMIT_BYTES = 4_000_000

/** An exam that nobody can call off; without proofs it takes a second at most. */
export const LONGEST_EXAM_MS = 60_000

/** A hook that ran within a week has fired; the log of a busy week is longer than what is read. */
export const VERDICTS_LOOKED_BACK_MS = 7 * 24 * 3_600_000
export const MOST_VERDICTS_LOOKED_AT = 20_000

/** Files that patterns of risk are tried on. */
export const RISK_FILES_LISTED = 200_000

/** What boot would say is asked for a table; it looks at a few files and at git. */
export const LONGEST_BOOT_MS = 5_000
