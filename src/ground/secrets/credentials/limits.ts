/** A user has a dozen; this stops a program that sets them in a loop. */
export const MOST_CREDENTIALS = 200

/**
 * A guess of the passphrase costs 128 MiB and about a second (PROMISES, TB10). A process that uses
 * a credential pays it once.
 */
export const SCRYPT_COST = 2 ** 17
export const SCRYPT_BLOCK = 8

/** Twice the required 128 * cost * block. */
export const SCRYPT_MOST_MEMORY_BYTES = 2 * 128 * SCRYPT_COST * SCRYPT_BLOCK
