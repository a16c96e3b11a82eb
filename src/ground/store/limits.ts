/** SQLite blocks the event loop while it waits for a lock; the rest of the wait is asynchronous. */
export const BLOCKING_WAIT_MS = 20

export const LONGEST_RETRY_MS = 25

export const DEFAULT_BUSY_TIMEOUT_MS = 15_000

/** At most about 1 GB of bodies, in practice under 1 MB. */
export const MAX_JOURNAL_PAGE = 1_000

/** A server in the same network responds in milliseconds; 5 s also covers a distant one. */
export const POSTGRES_CONNECT_TIMEOUT_MS = 5_000
