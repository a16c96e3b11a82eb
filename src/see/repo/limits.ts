/** A `.git` file contains one path; the longest path on Linux has 4,096 bytes. */
export const GIT_POINTER_LIMIT_BYTES = 8_192

/** The hostile corpus nests 2,000 folders; one handle is open per level. */
export const DEEPEST_WALKED_LEVELS = 64

export const MOST_WALKED_FILES = 500_000

/** Longer text was not written by hand, and no grammar parses it in time. */
export const LARGEST_TEXT_BYTES = 2 * 1024 ** 2

/** A list of 500,000 files of 200 bytes each; a tree that contains itself is endless. */
export const GIT_OUTPUT_LIMIT_BYTES = 128 * 1024 ** 2

/** Blobs per round: large enough to be fast, small enough for memory. */
export const BLOBS_A_ROUND_BYTES = 32 * 1024 ** 2
