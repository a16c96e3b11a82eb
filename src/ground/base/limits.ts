/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** One step when a file is read piece by piece: large enough to be fast, small enough to hold. */
export const READ_STEP_BYTES = 64 * 1024

/** A line is held in memory whole; agents' transcripts have single lines of several megabytes. */
export const JSONL_LONGEST_LINE_BYTES = 16 * 1024 ** 2
