/** Of one message's text: a tool's output beyond it is cut, and says so. */
export const LONGEST_CONTENT_CHARACTERS = 200_000

/** Of the host's own line beside it. */
export const LONGEST_RAW_CHARACTERS = 200_000

/** Messages written in one transaction; a flood waits instead of growing it. */
export const MOST_MESSAGES_A_WRITE = 200

/** Messages that may wait to be written before the agent is made to wait. */
export const MOST_WAITING_MESSAGES = 2_000

/** How often other processes are told that a run has advanced; our own listeners hear at once. */
export const ADVANCE_EVERY_MS = 250

/** An approval nobody answers ends by itself. */
export const APPROVAL_LIFE_MS = 24 * 60 * 60 * 1_000

/** A share of a budget at which a warning is said, once. */
export const BUDGET_WARNING_SHARE = 0.8

/** Turns that may wait behind a running one. */
export const MOST_QUEUED_TURNS = 50

/** Characters of a prompt's first line that become a title. */
export const TITLE_CHARACTERS = 80

/** How often text that is being written is told; between two looks of an eye. */
export const DELTA_EVERY_MS = 50

/** Text beyond it is not told while it is written: redacting it again and again would cost more. */
export const LONGEST_DELTA_CHARACTERS = 200_000

/** Of the text that is being written, its end is shown. */
export const SHOWN_DELTA_CHARACTERS = 16_000

/** A process says so often that it still works on a run. */
export const LEASE_EVERY_MS = 5_000

/** After so long without a word its runs may be taken over; several words may be late. */
export const LEASE_MS = 30_000

/** How long a stop waits for the process that works on the run. */
export const STOP_WAIT_MS = 15_000

/** A run may change hands while it is stopped; so often it is looked at again. */
export const STOP_TRIES = 5

/** How often it looks meanwhile. */
export const STOP_LOOK_MS = 100

/** Of a message in its brief form. */
export const BRIEF_CHARACTERS = 4_000

/** Messages read at once when a whole run is folded. */
export const FOLDED_AT_ONCE = 1_000

/** Runs whose timeline is kept in memory, a few hundred kilobytes each. */
export const MOST_KEPT_VIEWS = 16

/** A title is worth so long a wait, and no more. */
export const TITLE_WAIT_MS = 60_000

/** Messages of a run's beginning that a hand-off looks at, and of its end. */
export const HANDED_OVER_FIRST = 200
export const HANDED_OVER_LAST = 1_800

/** Shares of the window at which a warning is said. */
export const CONTEXT_WARNING_SHARES = [0.8, 0.95] as const

/** Runs whose files are looked at when a server starts. */
export const REBUILT_SESSIONS = 500

/** Messages that a fresh session's context is made of. */
export const RESTORED_MESSAGES = 400

/** Words of a search that count; the others are not looked at. */
export const MOST_SEARCHED_WORDS = 5

/**
 * Runs whose messages a search reads, the newest that match everything else. A word that only an
 * older run's messages have is not found; titles and prompts are searched in all.
 */
export const MOST_SEARCHED_RUNS = 200

/** Of a prompt in a list of runs. */
export const LISTED_PROMPT_CHARACTERS = 500
