/** A line is parsed in memory; hosts write single lines of several megabytes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Larger transcripts are skipped and named; hosts compact long before. */
export const MAX_FILE_BYTES = 2 * 1024 ** 3
