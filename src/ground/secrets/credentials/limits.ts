/** A person has a dozen; a program that sets them in a loop is stopped here. */
export const MOST_CREDENTIALS = 200

/**
 * What a guess of the passphrase costs: 128 MiB and about a second (PROMISES, TB10). It is paid once
 * in a process that uses a credential.
 */
export const SCRYPT_COST = 2 ** 17
export const SCRYPT_BLOCK = 8

/** Twice what those numbers need: 128 * cost * block. */
export const SCRYPT_MOST_MEMORY_BYTES = 2 * 128 * SCRYPT_COST * SCRYPT_BLOCK
