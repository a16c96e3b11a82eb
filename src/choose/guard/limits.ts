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

/** Patterns of one list; a hook matches each. */
export const MOST_RISK_GLOBS = 200

/** Hosts cut what a hook says at 10,000 characters without a word. */
export const LARGEST_ANSWER_BYTES = 9_000

/** A config is written by hand; `show/app` takes as much, and as long a text in a field. */
export const LARGEST_CONFIG_BYTES = 1_000_000
export const LONGEST_SETTING_UNITS = 8_000

/** What was said, as far as a list shows it; ids of sessions and names of tools may be any text. */
export const LONGEST_VERDICT_UNITS = 500
export const LARGEST_VERDICT_LINE_BYTES = 64 * 1024

/** Some 200,000 events of one day; of more the first are left out. */
export const LARGEST_VERDICT_DAY_BYTES = 64 * 1024 ** 2
export const MOST_VERDICTS_READ = 200_000

/** How long the log is kept, and what sessions were told: a month back is asked about, not a year. */
export const STATE_KEPT_MS = 30 * 24 * 60 * 60 * 1_000

/** A session that was silent for a quarter of a year does not come back; its file is in git by then. */
export const LEDGERS_KEPT_MS = 90 * 24 * 3_600_000

/** Entries of one of our folders: a file a day or a session, and not for long. */
export const MOST_STATE_ENTRIES = 20_000

/** What was allowed holds for four hours at most, and is kept for a day to be looked at. */
export const LONGEST_OVERRIDE_MS = 4 * 60 * 60 * 1_000
export const OVERRIDE_KEPT_MS = 24 * 60 * 60 * 1_000

/** 200 paths of the longest kind; a hook reads the newest of them. */
export const LARGEST_OVERRIDE_BYTES = 4 * 1024 ** 2
export const MOST_OVERRIDES_READ = 50

/**
 * Files of one edit that other sessions are looked for at, some 0.2 ms for each session, and that
 * are written down, some 0.5 ms. Whether one may be edited at all is asked for every file.
 */
export const MOST_WARNED_PATHS = 50
export const MOST_TRACKED_PATHS = 200

/** Named in one answer. */
export const MOST_LISTED_PATHS = 8

/** Of a name in an answer. */
export const LONGEST_SHOWN_UNITS = 200

/** Another session that was in a file this lately is still at it. */
export const RECENT_TOUCH_MS = 30 * 60_000

/** Back to here a change is looked for in our ledgers before it is said to come from outside. */
export const WRITTEN_BY_US_MS = 24 * 60 * 60 * 1_000

/** A session renews all that it holds this often: a fifth of the shortest usual lease. */
export const RENEW_ALL_MS = 3 * 60_000

/** What one session was told, some 15,000 things. */
export const LARGEST_SAID_BYTES = 1024 ** 2

/** What a host said it loaded in one session; each compaction says all of it again. */
export const LARGEST_LOADED_BYTES = 1024 ** 2
export const LONGEST_LOADED_UNITS = 4_096

/** Derived from memory: some thousand pitfalls. Read before each edit at level 5. */
export const LARGEST_PITFALLS_BYTES = 1024 ** 2
export const MOST_SHOWN_PITFALLS = 3
export const LONGEST_PITFALL_UNITS = 300

/** A repository's own config, of which one line is wanted. */
export const LARGEST_GIT_CONFIG_BYTES = 1024 ** 2
