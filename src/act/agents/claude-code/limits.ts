/** A host that does not tell its window in that time is one that cannot; it answers within 50 ms. */
export const USAGE_WAIT_MS = 2_000
