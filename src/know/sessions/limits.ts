/** A line is parsed in memory; hosts write single lines of several megabytes. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Larger transcripts are skipped and named; hosts compact long before. */
export const MAX_FILE_BYTES = 2 * 1024 ** 3

/** Transcripts of one import, newest first; the store would grow without limit. */
export const MAX_FILES = 20_000

/** Per transaction: bounds memory, and what a killed process reads again. */
export const BATCH_BYTES = 1024 * 1024
export const BATCH_LINES = 400

/** Of prompts and answers, in UTF-16 units; the longest pasted logs are cut. */
export const MAX_TEXT_UNITS = 32_000

/** Of tool calls and results: their first part says what they are about. */
export const MAX_TOOL_TEXT_UNITS = 4_000

/** Matching lines that are ranked, the newest; keeps a search of a common word fast. */
export const MAX_RANKED_LINES = 2_000

export const MAX_QUERY_WORDS = 12
export const MAX_WORD_UNITS = 64

/** A server answers with what is indexed after this time, and continues to index. */
export const SERVER_WAIT_MS = 1_500
