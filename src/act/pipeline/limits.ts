export const LEASE_EVERY_MS = 4_000

/** A run may change hands while it is read; retry this often. */
export const CLAIM_TRIES = 5

export const SAY_OUTPUT_TOKENS = 2_000
