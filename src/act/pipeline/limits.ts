/** A process says so often that it still works on a run. */
export const LEASE_EVERY_MS = 5_000

/** After so long without a word its runs may be taken over; several words may be late. */
export const LEASE_MS = 30_000

/** How long a stop waits for the process that works on the run. */
export const STOP_WAIT_MS = 15_000

/** How often it looks meanwhile. */
export const STOP_LOOK_MS = 100

/** A run may change hands while it is asked for; so often it is looked at again. */
export const CLAIM_TRIES = 5

/** Asks for one answer: the first, and two more when it does not fit its schema. Each is paid. */
export const ASKS_FOR_ONE_ANSWER = 3

/** Of a model's answer; a longer one is no answer to a stage's focused question. */
export const LONGEST_ANSWER_CHARACTERS = 400_000

/** Of what one effect gives, as JSON: a run is read whole, so its pieces are bounded. */
export const LONGEST_RESULT_CHARACTERS = 4_000_000

/** Of a problem that is told to the model, or of an error's message. */
export const LONGEST_PROBLEM_CHARACTERS = 2_000

/** A share of a budget at which a warning is said, once. */
export const BUDGET_WARNING_SHARE = 0.8

/** Of a message that led to an exit, as the spec says. */
export const BREAKOUT_CHARACTERS = 500

/** Of a query's first line, as the title of its run. */
export const TITLE_CHARACTERS = 80

/** Lines of a pause: more than this nobody reads on a card. */
export const MOST_PAUSE_LINES = 50
export const PAUSE_LINE_CHARACTERS = 300

/** How often text that is being written is told; between two looks of an eye. */
export const TEXT_EVERY_MS = 50

/** Text beyond it is not told while it is written: redacting it again and again would cost more. */
export const LONGEST_TOLD_CHARACTERS = 200_000

/** Of one message of a transcript; the event itself has the rest. */
export const TRANSCRIPT_CHARACTERS = 200_000

/** Of an answer after the end. */
export const SAY_OUTPUT_TOKENS = 2_000

/** Runs that are looked through for an earlier answer, or for a session's newest. */
export const MOST_LOOKED_THROUGH = 500

/** Runs of an agent shown beside it. */
export const MOST_RUNS_OF_AGENT = 20

/** Where an agent's config names no depths. */
export const DEPTH_DEFAULTS = {
  quick: { subQueries: 3, paragraphs: 10, repairs: 0, contextTokens: 4_000, web: false },
  standard: { subQueries: 8, paragraphs: 20, repairs: 2, contextTokens: 12_000, web: true },
  deep: { subQueries: 15, paragraphs: 30, repairs: 3, contextTokens: 24_000, web: true },
} as const

/** A stage that was cut so often takes its process down with it: a person is asked first. */
export const MOST_ATTEMPTS = 100
