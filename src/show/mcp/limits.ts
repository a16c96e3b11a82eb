/** What a host lists costs its window before the first word, so a set stays small. */
export const MOST_TOOLS_IN_A_SET = 12
export const MOST_TOKENS_OF_A_SET = 4_000

/** The one set that is larger: its sixteen names are fixed, and who takes it has come for it. */
export const MOST_KNOWLEDGE_TOOLS = 16

/** The instructions are in every window that has our tools. */
export const MOST_TOKENS_OF_INSTRUCTIONS = 200

/** A frame on stdio: the largest return is 50,000 characters, an honest one is far below. */
export const LARGEST_FRAME_BYTES = 10_000_000

/** A body over HTTP; the package's own default, said here because we promise it. */
export const LARGEST_BODY_BYTES = 4 * 1_024 * 1_024

/** A client's name is shown and is part of a session's name, which may have 200 characters. */
export const LONGEST_CLIENT_NAME_CHARACTERS = 80

/** Rows of a summary beside the text; who wants all of them reads the text. */
export const MOST_SUMMARY_ROWS = 50

/** Resources in a list: the newest; older ones are read by their id. */
export const MOST_RESOURCES_LISTED = 50

/** Open streams for changes that never come: our lists are fixed. */
export const MOST_SUBSCRIPTIONS = 64

/** Symbols of a found file; more of them are for `map`. */
export const MOST_SYMBOLS_OF_A_FILE = 5

/** A signature may be as long as a page; a line of a list is one line. */
export const LONGEST_LINE_CHARACTERS = 200

/** Problems with arguments that are told at once; a model corrects a few at a time. */
export const MOST_PROBLEMS_TOLD = 5

/** A fence that occurs in the text by chance is one in 2^64; a few tries are for whoever plans it. */
export const MOST_FENCES = 8

/** Whoever hangs up hears what it asked before, if that does not take longer. */
export const LONGEST_LAST_WORK_MS = 10_000

/** A host starts one server a session, or a few; a client that makes up more leaves them to their deadlines. */
export const MOST_ENDED_SESSIONS = 100
