export const LONGEST_TITLE_UNITS = 200

export const LONGEST_DESCRIPTION_UNITS = 500

/** A longer one is a document, and fits no budget for memories. */
export const LONGEST_BODY_UNITS = 20_000

/** Three times the longest body, with its front matter. */
export const LARGEST_FILE_BYTES = 100_000

/** Every call stats all of them: about 60 ms. */
export const MOST_FILES = 2_000

export const MOST_CITES = 20

export const MOST_DISTILLED_A_SESSION = 3

/** A write takes milliseconds, so an older lock belongs to a dead process. */
export const LEASE_MS = 10_000

export const LOCK_TRY_MS = 25

export const LONGEST_SHOWN_UNITS = 200
