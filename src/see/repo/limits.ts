/** A pointer file of git holds one path; the longest path Linux takes is 4,096 bytes. */
export const GIT_POINTER_LIMIT_BYTES = 8_192

/** The hostile corpus nests 2,000 folders; one handle is held for each level. */
export const DEEPEST_WALKED_LEVELS = 64

/** Five times the largest repository that this is meant for. */
export const MOST_WALKED_FILES = 500_000

/** Text of more was not written by hand, and no grammar reads it in its time. */
export const LARGEST_TEXT_BYTES = 2 * 1024 ** 2

/** A list of 500,000 files of 200 bytes each; a tree that holds itself has no end. */
export const GIT_OUTPUT_LIMIT_BYTES = 128 * 1024 ** 2

/** One round of reading blobs: large enough to be fast, small enough to hold. */
export const BLOBS_A_ROUND_BYTES = 32 * 1024 ** 2
