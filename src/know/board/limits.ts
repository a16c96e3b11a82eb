/** Reading and parsing this many takes about half a second. */
export const MOST_TICKETS = 5_000

/** Twice the longest text, with its front matter. */
export const LARGEST_TICKET_BYTES = 128 * 1024

export const LARGEST_LOG_BYTES = 4 * 1024 ** 2

/** The rest of an output is read and dropped; its hash covers what is stored. */
export const LARGEST_OUTPUT_BYTES = 1024 ** 2
