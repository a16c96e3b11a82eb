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
