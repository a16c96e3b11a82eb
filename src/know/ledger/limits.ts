/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** A ledger is read whole by a hook: some 600,000 edits, past every session. */
export const LARGEST_LEDGER_BYTES = 64 * 1024 ** 2

/** Sessions whose ledgers are looked into for one question; the newest first. */
export const MOST_LEDGERS = 200

/** Entries of the folder of ledgers, old ones among them. */
export const MOST_LEDGER_ENTRIES = 20_000

/** A lease outlives a long think of an agent, and a crash blocks nobody for longer. */
export const LEASE_MS = 15 * 60_000

/** Hooks renew at each edit; a heartbeat younger than this share of the lease is left alone. */
export const RENEW_AFTER_SHARE = 0.25

/** Clocks of two machines may differ by this much before an expiry of one is believed by another. */
export const CLOCK_MARGIN_MS = 5 * 60_000

/** Paths taken in one call: a whole change, not a whole repository; folders do for those. */
export const MOST_PATHS_AT_ONCE = 200

/** Paths that were ever claimed. All of them are looked at when one is taken: some 50 us each. */
export const MOST_CLAIM_FOLDERS = 20_000

/** A claim holds a session's id, which may be long and, escaped, six times as long. */
export const LARGEST_CLAIM_BYTES = 8 * 1024 ** 2

/** Turns of a claim that are kept behind the newest: a listing would have to miss all of them. */
export const KEPT_TURNS = 6

/** Each failed try means that another one got through, so this many in a row is no accident. */
export const MOST_TRIES = 64

/**
 * Giving back takes some milliseconds, on a busy disk a few hundred; who has not done it after two
 * seconds was there first.
 */
export const YIELD_TRY_MS = 10
export const MOST_YIELD_TRIES = 200

/** Longest path systems allow, in most of them. */
export const LONGEST_PATH_UNITS = 4_096

/** Below this many changed files a session is a small fix, and nobody is reminded. */
export const FEWEST_DRIFTED_FILES = 2

/** Files of a drift that are told apart; who left more has left a whole change, whatever comes. */
export const MOST_DRIFTED_FILES = 100

/** Each part of a session's registration: a page, not a transcript. */
export const LONGEST_PART_UNITS = 20_000
export const MOST_LIST_ITEMS = 200
export const LONGEST_SLUG_UNITS = 48

/** Sessions of one day; more is a loop that registers itself. */
export const MOST_SESSIONS_A_DAY = 999

/** Files of one folder that an index is made from. */
export const MOST_INDEXED_FILES = 20_000

/** Of each file only the head is shown; the largest we write is below. */
export const LARGEST_INDEXED_FILE_BYTES = 1024 ** 2

/** Looks at the files until they and the indices agree; only others who write make it more than two. */
export const MOST_INDEX_TRIES = 20

/** A line of an index. */
export const LONGEST_INDEX_LINE_UNITS = 160

/** Of a name in a message. */
export const LONGEST_SHOWN_UNITS = 200

/** As the kit promises: beyond so many, those older than a week go to the archive. */
export const MOST_UNARCHIVED_SESSIONS = 30
export const ARCHIVED_AFTER_DAYS = 7

/** As the kit promises: so many sessions share a lesson before it is proposed. */
export const FEWEST_LESSON_SESSIONS = 10

/** Sessions and lines of each that are compared, once a day: 2,000 lines take well below a second. */
export const MOST_COMPARED_SESSIONS = 100
export const MOST_LESSON_LINES = 20

/** Shorter lines, such as "tests added", are the same by chance. */
export const FEWEST_LESSON_WORDS = 4

/** Of the words of two lines together, how many both have when they say the same. */
export const LEAST_LIKENESS_SHARE = 0.7
