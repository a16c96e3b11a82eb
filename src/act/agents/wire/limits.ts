/** A host's longest honest line is a tool result of some hundred kB; more is cut and said. */
export const LONGEST_LINE_BYTES = 1024 * 1024

/** What is shown of a line that was too long or not understood. */
export const LONGEST_QUOTE_CHARACTERS = 300

/** Output that waits for the end of its line or its key; a key of 16,384 bits has 13 kB. */
export const MOST_HELD_OUTPUT_CHARACTERS = 64 * 1024

/** Of output that was told, what new lines are redacted with: a few lines. */
export const OUTPUT_BEFORE_CHARACTERS = 2_000

/** The end of a host's stderr, where its last words are. */
export const KEPT_STDERR_BYTES = 8 * 1024

/** Of these the reason of an end is told; more is in the host's own log. */
export const LONGEST_LAST_WORDS_CHARACTERS = 1_000

/** Events that may wait for their reader before the host is made to wait. */
export const MOST_WAITING_EVENTS = 1_000

/** The same in characters: a thousand events may each be as long as a line. */
export const MOST_WAITING_CHARACTERS = 8 * 1024 * 1024

/** What may wait for a host that does not read: the longest prompt, twice, in UTF-8. */
export const MOST_WAITING_INPUT_BYTES = 8 * 1024 * 1024

/** Lines that are not the protocol; a host prints a warning or two, a wrong program only such. */
export const MOST_NOISE_LINES = 1_000

/** Of these the first are shown, the others are only counted. */
export const MOST_SHOWN_NOISE_LINES = 20

/** Kinds of messages we do not know, each shown once; a newer host brings a handful. */
export const MOST_SHOWN_KINDS = 100

/** From its start to its session; hosts need one to three seconds, slow MCP servers a minute. */
export const LONGEST_START_MS = 120_000

/** Between the end of its output and the end of a host. */
export const LONGEST_GOODBYE_MS = 2_000

/** Between the polite signal and the last one: hosts save their transcript in it. */
export const STOP_GRACE_MS = 2_000

/** A title is one line in a list. */
export const LONGEST_TITLE_CHARACTERS = 160

/** One question without a session: hosts start within two seconds, small models answer in five. */
export const LONGEST_COMPLETION_MS = 30_000

/** What a host may print for it; a title is a line, a summary a page. */
export const LONGEST_COMPLETION_BYTES = 64 * 1024
