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
