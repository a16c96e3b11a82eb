export const READ_STEP_BYTES = 64 * 1024

/** A line is read into memory; agents' transcripts have single lines of several megabytes. */
export const JSONL_LONGEST_LINE_BYTES = 16 * 1024 ** 2
