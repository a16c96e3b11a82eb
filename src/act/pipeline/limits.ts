/** Interval of lease renewals. */
export const LEASE_EVERY_MS = 5_000

/** A run may change hands while it is read; retry this often. */
export const CLAIM_TRIES = 5

/** For an answer after the end of a run. */
export const SAY_OUTPUT_TOKENS = 2_000
