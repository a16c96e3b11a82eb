/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** A title is read in a list. */
export const LONGEST_TITLE_UNITS = 200

/** One line that says whether the rest is worth reading. */
export const LONGEST_DESCRIPTION_UNITS = 500

/** A longer one is a document, and no budget for memories could hold it. */
export const LONGEST_BODY_UNITS = 20_000

/** Three times the longest body in its widest letters, with its head. */
export const LARGEST_FILE_BYTES = 100_000

/** The head of a file: the largest we write has some 20 citations. */
export const LONGEST_HEAD_UNITS = 32_000

/** Files that are read. For each answer the disk is asked about all of them: some 60 ms with so many. */
export const MOST_FILES = 2_000

/** Entries of one folder, files of others among them. */
export const MOST_ENTRIES = 20_000

/** Folders below the four: people sort, and a folder that holds itself would not end. */
export const DEEPEST_FOLDER_LEVELS = 4

export const MOST_CITES = 20

/** Citations looked up for one answer; the rest are said to be unchecked. */
export const MOST_CHECKED_CITES = 5_000

/** At once, so that a disk is kept busy and nobody else is kept waiting. */
export const CITES_AT_ONCE = 16

/** What an agent is asked for at the end of a task; it may have several tasks in a session. */
export const MOST_DISTILLED_A_SESSION = 3

/** Two texts this near are the same text with a word changed. Of 64 bits. */
export const FARTHEST_TWIN_BITS = 3

/** Words in a row that are compared as one, so that their order counts. */
export const SHINGLE_WORDS = 3

/** Candidates that are rendered and counted for one injection; beyond them nothing matches well. */
export const MOST_TRIED = 50

/** Half of what was learnt about code is about other code after half a year or so. */
export const HALF_LIFE_DAYS = 180

/** However old, it is found if nothing newer says the same. */
export const LEAST_AGE_SHARE = 0.25

/** What a person replaced is found last. */
export const SUPERSEDED_SHARE = 0.3

/** Words that are named as a reason. */
export const MOST_WHY_WORDS = 5

/** A write takes some milliseconds. A lock this old was left by a process that died. */
export const LEASE_MS = 10_000

/** A little longer than a lease, so that a dead process costs a wait and not a refusal. */
export const LONGEST_LOCK_WAIT_MS = 15_000
export const LOCK_TRY_MS = 25

/** Two writes within the grain of the disk's clock leave the same time; after this nobody can. */
export const RACY_MS = 2_000

/** Of 64 chance bits each; one that stands in the text is met once in a lifetime. */
export const MOST_FENCES = 8

/** Of a citation or a problem in a message. */
export const LONGEST_SHOWN_UNITS = 200
