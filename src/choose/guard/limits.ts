/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** How long a simulation covers an edit: the spec's four hours, about half a day of work. */
export const LONGEST_COVER_MS = 4 * 60 * 60 * 1_000

/** A clock that was set back a little must not void a receipt; one from tomorrow covers nothing. */
export const CLOCK_SLACK_MS = 60_000

/** Receipts cover for four hours and are kept for a day, so that yesterday's verdicts explain. */
export const RECEIPT_KEPT_MS = 24 * 60 * 60 * 1_000

/** More in one day is a program, not a person; the newest stay. */
export const MOST_RECEIPTS_KEPT = 500

/** The folder holds receipts and what a dead writer left; a hook does not list more than this. */
export const MOST_RECEIPT_ENTRIES = 5_000

/** Read by a hook, the newest first, until one covers: each takes about 0.2 ms of its 25. */
export const MOST_RECEIPTS_READ = 50

/** 200 files that would change, 200 reached and 100 tests take about 120 kB with long paths. */
export const LARGEST_RECEIPT_BYTES = 1_000_000

/** A file at a risk path that is edited by hand is smaller; a hook waits while it is read. */
export const LARGEST_HASHED_BYTES = 32 * 1024 ** 2

/** Files of one simulation. More is no edit that somebody has thought through. */
export const MOST_SIMULATED_FILES = 200

/** Names of what would change that are followed: those that other files can see come first. */
export const MOST_FOLLOWED_NAMES = 1_000

/** Files that use one of those names which are looked into: each costs about 2 ms. */
export const MOST_REFERRING_FILES = 300

/** Files and tests of the answer that are listed; the rest is counted. */
export const MOST_LISTED_REACH = 200
export const MOST_LISTED_TESTS = 100

/** Names of one file that are listed: enough to know what it is about. */
export const MOST_LISTED_NAMES = 5

/** Files that changed together with these which are listed. */
export const MOST_COMPANIONS = 10

/** A commit of more files is a sweep, which says little about each of them. The map has as many. */
export const MOST_COMMIT_FILES = 20

/** No path of a person is longer, and a pattern for one has no reason to be. */
export const LONGEST_GLOB_UNITS = 1_024
export const LONGEST_MATCHED_PATH_UNITS = 4_096

/** Ways in which the braces of one pattern can be read; each is matched. */
export const MOST_GLOB_SPELLINGS = 64

/** Patterns of one list; a hook matches each. */
export const MOST_RISK_GLOBS = 200
