/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** Folders looked at in one place; a person has a dozen. */
export const MOST_SOURCES = 100

/** A description is a page of JSON. */
export const LARGEST_CONFIG_BYTES = 64_000

/**
 * What an approval covers is read whole at every call, of all sources where none is named: a small
 * server, not a tree of packages. The worst place costs 200 MB a search, and not gigabytes.
 */
export const MOST_COVERED_FILES = 200
export const LARGEST_COVERED_BYTES = 2_000_000
export const DEEPEST_COVERED_LEVELS = 4

/** Entries of the folder an argument points into; one that has more cannot be looked through. */
export const MOST_NEIGHBOURS = 10_000

/** One message of a server; the largest honest one is a page of search results. */
export const LARGEST_FRAME_BYTES = 4_000_000

/** What a server may say without being asked, until the next question. */
export const MOST_UNASKED_LINES = 20_000
export const MOST_UNASKED_BYTES = 64_000_000

/** Input a server has not read yet; a question has a few hundred bytes. */
export const MOST_WAITING_INPUT_BYTES = 1_000_000

/** Kept of what a server complains of, for the sentence that says why it failed. */
export const KEPT_STDERR_CHARACTERS = 2_000
export const LONGEST_REASON_CHARACTERS = 300

/** Between the polite signal and the last one; with the rest of the ending it stays under 5 s. */
export const CHILD_GRACE_MS = 1_000

/** Tools of one server; more would not be read by anyone who approves them. */
export const MOST_TOOLS = 500
export const MOST_TOOL_PAGES = 20
export const LONGEST_TOOL_NAME_CHARACTERS = 200
export const LONGEST_TOOL_DESCRIPTION_CHARACTERS = 1_000

/** After so many failures in a row a source is left alone for a minute (PROMISES, N3). */
export const FAILURES_BEFORE_REST = 3
export const REST_MS = 60_000

/** An answer that takes longer than this is told as slow. */
export const SLOW_MS = 5_000

/** A server nobody asks is ended; starting one costs a fraction of a second. */
export const IDLE_MS = 120_000

/** The library's own timer is a second net behind ours. */
export const SECOND_NET_MS = 5_000

/** Text of one result; the first paragraphs say what a page is about. */
export const LONGEST_RESULT_CHARACTERS = 2_000
export const LONGEST_TITLE_CHARACTERS = 200
export const LONGEST_URL_CHARACTERS = 2_000
export const MOST_RESULTS = 50

/** How deep a list of results may lie in an answer: `{ web: { results: [...] } }`. */
export const DEEPEST_RESULT_LEVELS = 4

/** Approvals kept; the oldest go, and are asked for again. */
export const MOST_APPROVALS = 1_000
export const LARGEST_APPROVALS_BYTES = 1_000_000
