/** Folders above a working directory; a path of 4,096 bytes cannot have more that matter. */
export const DEEPEST_ANCESTOR_LEVELS = 256

/** An instruction file that is read at all; the hosts send far less, or refuse far earlier. */
export const LARGEST_INSTRUCTION_BYTES = 16 * 1024 * 1024

/** Sessions that are looked at before we say that there was none here. */
export const MOST_SESSIONS_LOOKED_AT = 50

/** Of one session; what a host loads at its start stands in the first few hundred kilobytes. */
export const LARGEST_SESSION_HEAD_BYTES = 4 * 1024 * 1024
