/** Each cap of the credential store, with its reason; the unit is the last word of the name. */

/** 200 credentials of the longest length, sealed and in hexadecimal. */
export const LARGEST_FILE_BYTES = 10_000_000

/** A person has a dozen; a program that sets them in a loop is stopped here. */
export const MOST_CREDENTIALS = 200

/** A key of any service; a private key in PEM has under 4,000. */
export const LONGEST_VALUE_CHARACTERS = 20_000

/** 64 hexadecimal digits and a line end. */
export const LARGEST_KEY_FILE_BYTES = 256

/**
 * What a guess of the passphrase costs: 128 MiB and about a second (PROMISES, TB10). It is paid once
 * in a process that uses a credential.
 */
export const SCRYPT_COST = 2 ** 17
export const SCRYPT_BLOCK = 8
export const SCRYPT_LANES = 1
/** Twice what those numbers need: 128 * cost * block. */
export const SCRYPT_MOST_MEMORY_BYTES = 2 * 128 * SCRYPT_COST * SCRYPT_BLOCK

/** A write takes milliseconds, and a second where a key is derived: half a minute is for many. */
export const LOCK_TRIES = 600
export const LOCK_TRY_MS = 50
