/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** What people write is smaller; what is larger was generated. (TB2b) */
export const LARGEST_TEXT_BYTES = 2_000_000

/** No person writes a longer line; minified code and data do. (TB2b) */
export const LONGEST_LINE_UNITS = 20_000

/** Of computing, for one file; plain code of 1.4 MB takes about as much. (TB2b) */
export const FILE_BUDGET_MS = 500

/** A thread that says nothing for so long hangs where the parser's own budget does not reach. */
export const LONGEST_SILENCE_MS = 10_000

/** A signature is for reading; a longer one is cut. */
export const LONGEST_SIGNATURE_UNITS = 300

/** Modifiers and decorators before a name that are looked at for words such as `private`. */
export const LONGEST_HEAD_UNITS = 2_000

/** Of a constant's value the beginning tells what it is. */
export const LONGEST_VALUE_UNITS = 120

/** The first paragraph of a comment, cut. */
export const LONGEST_DOC_UNITS = 300

/** Names are words; what is longer is a mistake of the recovery. */
export const LONGEST_NAME_UNITS = 200

/** Definitions, references and imports of one file; django's largest has 2,300 definitions. */
export const MOST_FACTS = 50_000

/** A broken file is broken; the first places are enough to say where. */
export const MOST_SYNTAX_PROBLEMS = 10

/** Patterns in progress at one time; without a limit a hostile file makes them quadratic. */
export const MOST_OPEN_MATCHES = 10_000

/** The largest grammar has 5.4 MB. */
export const LARGEST_GRAMMAR_BYTES = 16_000_000

/** Two parse almost twice as fast as one; a third would take the core that stores the result. */
export const PARSING_THREADS = 2

/** Files in one message to a thread: few enough to share the work out, enough to save messages. */
export const MOST_BATCH_FILES = 32
export const LARGEST_BATCH_UNITS = 200_000

/** The parser's memory lies outside of this heap; the heap holds the facts of one batch. */
export const THREAD_HEAP_MB = 128
