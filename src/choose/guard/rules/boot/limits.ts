/** Each cap of the boot rule, with its reason; the unit is the last word of the name. */

/** The whole hook has little time; what git has not counted by then is left out. */
export const LONGEST_GIT_MS = 150

/** Two numbers and what separates them. */
export const GIT_ANSWER_BYTES = 200

/** As the kit promises: a look at the upstream older than this is made anew, after the answer. */
export const FRESH_FETCH_MS = 10 * 60_000

/** That a branch is level is worth a line only when it may be so no longer. */
export const OLD_FETCH_MS = 24 * 60 * 60_000

/** A config of git is written by hand and by git; larger ones are something else. */
export const LARGEST_GIT_CONFIG_BYTES = 256 * 1024

/** One line with an id, or with the name of another ref. */
export const LARGEST_REF_BYTES = 8_192

/** Some hundred thousand refs; searching it takes a millisecond or two. */
export const LARGEST_PACKED_REFS_BYTES = 16 * 1024 ** 2

/** Sessions whose drift is looked at, of the last week: each is a file that is read. */
export const DRIFT_SINCE_MS = 7 * 24 * 60 * 60_000
export const MOST_DRIFT_SESSIONS = 12

/** Fewer are a small fix; the ledger reminds nobody of those either. */
export const FEWEST_DRIFTED_FILES = 2

/** Sessions, files of each, claims and memories that are shown; the rest is counted. */
export const MOST_SHOWN_DRIFTS = 3
export const MOST_SHOWN_FILES = 4
export const MOST_SHOWN_CLAIMS = 5
export const MOST_SHOWN_MEMORIES = 3

/** Files of memories that are opened to find so many that a person vouched for. */
export const MOST_OPENED_MEMORIES = 8

/** A memory's file, as its room reads it. */
export const LARGEST_MEMORY_BYTES = 100_000

/** The list of all that is remembered: some thousand lines. */
export const LARGEST_LIST_BYTES = 1024 ** 2

/** Decades of releases; only the head of it is of use here. */
export const LARGEST_CHANGELOG_BYTES = 1024 ** 2
export const MOST_CHANGELOG_LINES = 10

/** Lines of a session's final state. */
export const MOST_STATE_LINES = 3

/** A line of somebody else's text: what matters stands in front. */
export const LONGEST_QUOTED_UNITS = 140

/** Ids of sessions are long; their beginning tells them apart. */
export const LONGEST_SESSION_UNITS = 12
