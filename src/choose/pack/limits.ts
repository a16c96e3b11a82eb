/** A longer task is a log or a file; its beginning contains the request. */
export const LONGEST_TASK_UNITS = 100_000

export const LONGEST_SHOWN_TASK_UNITS = 400

/** Files whose text is read; the first 50 contained most of the edited segments. */
export const MOST_WEIGHED_FILES = 200

/** Per repository; one package has at most a few hundred kB. */
export const MOST_PACKS_KEPT = 200

export const LONGEST_ADVICE_UNITS = 10_000

/** A record is shown in one line; its source has the whole text. */
export const LONGEST_RECORD_UNITS = 600
