/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** A task longer than this is a log or a file; what it is about is said at its beginning. */
export const LONGEST_TASK_UNITS = 100_000

/** Of the task in front of a package: enough to know it by, however long it is. */
export const LONGEST_SHOWN_TASK_UNITS = 400

/** Paths of a task: a stack trace has some dozens. */
export const MOST_NAMED_PATHS = 100

/** Names of a task: more is a list, and says little about each. */
export const MOST_NAMED_SYMBOLS = 200

/** Words of a task that are shown. */
export const MOST_KEYWORDS = 50

/** A name that so many files define says nothing about one of them. (facts/retrieval, 3) */
export const MOST_DEFINERS = 5

/** Files whose text is looked at; the chunks of the first fifty held most of what was edited. */
export const FEWEST_WEIGHED_FILES = 50
export const MOST_WEIGHED_FILES = 200

/** Texts that are looked at hold at least so many packages, as long as there are files. */
export const WEIGHED_BUDGETS = 3

/** Larger texts are data; reading them would cost more than they can say. */
export const LARGEST_WEIGHED_TOKENS = 200_000

/** Blank lines and lone brackets have few; what has more says something. */
export const MOST_BARE_TOKENS = 20

/** Files that stayed out and are listed; the rest is a number. */
export const MOST_LEFT_LISTED = 50

/** Names that are followed from what was chosen to where they are defined. */
export const MOST_FOLLOWED_NAMES = 400

/** Files that are named as leant upon; more is no longer closure but the whole repository. */
export const MOST_CLOSURE_FILES = 20

/** Of one file that others lean upon. */
export const MOST_CLOSURE_SYMBOLS = 8

/** Edges between files of a package that are listed. */
export const MOST_DEPENDENCIES = 100

/** Names on one edge. */
export const MOST_EDGE_NAMES = 8

/** Symbols of a file that are named as those that matter. */
export const MOST_SHOWN_SYMBOLS = 8

/** Reasons of one file: the strongest ones, so that they are read. */
export const MOST_REASONS = 4

/** Packages that are kept, of a repository; one has at most some hundred kilobytes. */
export const MOST_PACKS_KEPT = 200

/** Earlier packages of a session that are looked at for what was sent before. */
export const MOST_SESSION_PACKS = 50

/** How often a package is fitted anew when its text turned out larger than its parts. */
export const MOST_FITTINGS = 8

/** A fence that occurs in the text is made anew; that one is found is a matter of two tries. */
export const MOST_FENCES = 1_000

/** One advice of a guideline, as long as its contract allows. */
export const LONGEST_ADVICE_UNITS = 10_000

/** Characters of all instructions and constraints of guidelines together. */
export const MOST_INSTRUCTION_UNITS = 50_000

/** Guidelines of one file. */
export const MOST_GUIDELINES = 1_000

/** A kept package that unpacks to more is none of ours. */
export const LARGEST_KEPT_BYTES = 256_000_000
