/** A process says so often that it still works on a run. */
export const LEASE_EVERY_MS = 5_000

/** A run may change hands while it is asked for; so often it is looked at again. */
export const CLAIM_TRIES = 5

/** Of an answer after the end. */
export const SAY_OUTPUT_TOKENS = 2_000
