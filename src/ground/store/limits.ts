/** Before this SQLite had a corruption race with several processes in WAL mode (PROMISES, finding 4). */
export const OLDEST_SQLITE = "3.51.3"

/**
 * SQLite waits for a lock with the event loop blocked. 20 ms is below what a person notices; the
 * rest of the patience is slept away asynchronously.
 */
export const BLOCKING_WAIT_MS = 20

/** Between two tries for the lock: from 2 to 25 ms by chance, so that waiting processes spread. */
export const SHORTEST_RETRY_MS = 2
export const LONGEST_RETRY_MS = 25

/** A process that writes without a break for 25 ms steps back for 1 ms. */
export const COURTESY_AFTER_MS = 25
export const COURTESY_PAUSE_MS = 1

/** Less than this between two writes is no break: others would not find the lock free. */
export const COURTESY_GAP_MS = 2

/** How often the head is read to see what other processes wrote: 50 µs of work each time. */
export const LOOK_EVERY_MS = 50

/** With signals between servers the look is only a safety net. */
export const LOOK_EVERY_MS_WITH_SIGNAL = 1_000

/** Commits within this time are one signal. */
export const SIGNAL_GAP_MS = 10

/** Before a broken listening connection is made anew. */
export const LISTEN_AGAIN_AFTER_MS = 500

/** How long a write waits for other processes unless the config says otherwise. */
export const DEFAULT_BUSY_TIMEOUT_MS = 15_000

/** How many backups stay unless the config says otherwise. */
export const DEFAULT_KEPT_BACKUPS = 7

/** Writes waiting in this process. Beyond it something feeds faster than a disk can take. */
export const MAX_WAITING_WRITES = 10_000

/** Prepared statements kept per connection; the whole product has a few hundred. */
export const MAX_CACHED_STATEMENTS = 256

/** 4 MB of write-ahead log is the point where SQLite itself would copy it into the file. */
export const CHECKPOINT_AT_BYTES = 4_000_000

/** The log shrinks to this once it has been copied, so that its size says what is still to do. */
export const KEPT_LOG_BYTES = 1_000_000

/** The size of the log is asked for once in so many commits: a stat costs 2 µs, a commit 150. */
export const COMMITS_PER_SIZE_CHECK = 32

/** An event names what happened; content belongs into rows and files. */
export const MAX_EVENT_BYTES = 1_000_000

/** Entries of one read of the journal: at most about 1 GB of bodies, in practice under 1 MB. */
export const MAX_JOURNAL_PAGE = 1_000

/** Files looked at in the folder of a store: markers, kept files and backups are a handful. */
export const MAX_LISTED_FILES = 10_000

/** A log is copied at 4 MB; one far larger than this is left to SQLite alone. */
export const MAX_EXAMINED_LOG_BYTES = 64_000_000

/** Small JSON files of our own beside the store. */
export const MAX_SEAL_BYTES = 10_000

/** Pages copied at a time: 4 MB, so that the event loop breathes between two steps. */
export const BACKUP_PAGES_PER_STEP = 1_000

/** Connections of one process to Postgres: one writes, the others read. */
export const MAX_POSTGRES_CONNECTIONS = 8

/** A server in the same network answers in milliseconds; 5 s also covers one far away. */
export const POSTGRES_CONNECT_TIMEOUT_MS = 5_000

/** No statement of ours is meant to run longer; a lost lock or a missing index does. */
export const POSTGRES_STATEMENT_TIMEOUT_MS = 60_000

/** A process that froze inside a transaction must not hold the writers' lock of a whole team. */
export const POSTGRES_IDLE_IN_TRANSACTION_MS = 60_000

/** Deadlocks and serialisation failures are another session's doing and pass on their own. */
export const MAX_POSTGRES_TRIES = 5
