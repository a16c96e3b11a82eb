/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** No caller needs more in one piece, and one `read` call of Node stops at 2 GiB. */
export const LARGEST_READ_BYTES = 1024 ** 3

/** One step when a file is read piece by piece: large enough to be fast, small enough to hold. */
export const READ_STEP_BYTES = 64 * 1024

/** Directories we list are our own and small; more than this is not one of them. */
export const LARGEST_LISTING_ENTRIES = 100_000

/** A sweep looks at names only and holds none, so it may look at more than a listing. */
export const LARGEST_SWEEP_ENTRIES = 1_000_000

/** A line is held in memory whole; agents' transcripts have single lines of several megabytes. */
export const JSONL_LONGEST_LINE_BYTES = 16 * 1024 ** 2

/** Past this a journal should be streamed or rotated, not read in one go. */
export const JSONL_LARGEST_FILE_BYTES = 1024 ** 3

/** A fsync takes milliseconds: this many waiting records are most of a minute. */
export const JSONL_MOST_WAITING_RECORDS = 10_000

/** What others may append during one write of ours and we still read back to find our line. */
export const JSONL_LARGEST_READ_BACK_BYTES = 64 * 1024 ** 2

/** Between the polite signal and the last one: agents need a moment to save their transcript. */
export const SPAWN_GRACE_MS = 2_000

/** How often we look whether a group is gone; ending one rarely takes more than two looks. */
export const SPAWN_LOOK_EVERY_MS = 10

/** After SIGKILL only the kernel is waited for; a zombie nobody reaps must not hold us. */
export const SPAWN_LONGEST_AFTER_KILL_MS = 2_000

/** A process that left the group may hold the output open for ever: the rest is given up. */
export const SPAWN_LONGEST_DRAIN_MS = 5_000

/** Node turns a longer timer than 2^31 ms into one of 1 ms; a day is past every use. */
export const SPAWN_LONGEST_TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** `ps` answers in milliseconds; it is asked only where there is no /proc. */
export const PROCESS_LONGEST_LOOK_MS = 5_000

/** Left to itself Node keeps 50 MB more for each thread, for no gain that can be measured. */
export const THREAD_YOUNG_HEAP_MB = 16

/** No path of a person is longer, and a pattern for one has no reason to be. */
export const GLOB_LONGEST_UNITS = 1_024
export const GLOB_LONGEST_PATH_UNITS = 4_096

/** Ways in which the braces of one pattern can be read, and their signs; each is matched. */
export const GLOB_MOST_SPELLINGS = 256
export const GLOB_LONGEST_SPELLED_UNITS = 16_384

/** Folders whose answer a matcher remembers: a server keeps one for long. */
export const GLOB_MOST_KNOWN_FOLDERS = 10_000

/** Who holds a lock: a process in a line of JSON. */
export const LARGEST_LOCK_BYTES = 1_024

/** Whoever takes the place of a dead neighbour needs a few milliseconds for it. */
export const SOCKET_LOCK_STALE_MS = 5_000
export const SOCKET_LOCK_TRY_MS = 20
export const SOCKET_MOST_LOCK_TRIES = 400

/** A connection on one machine is made at once or not at all. */
export const SOCKET_LONGEST_PROBE_MS = 1_000
