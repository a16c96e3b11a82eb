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
