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

/** A longer piece of a text is cut at a quiet line: a package takes pieces whole. */
export const LONGEST_SEGMENT_LINES = 80

/** A member or value of fewer lines stands in one piece with its neighbours. */
export const SHORTEST_SYMBOL_SEGMENT_LINES = 3

/** Of postings: one query reads some hundred blocks, each from its beginning. */
export const BLOCK_BYTES = 4_096

/** A package.json or tsconfig.json of people has a few kilobytes. */
export const LARGEST_MANIFEST_UNITS = 500_000

/** Of one name in such a file; the longest lists of conditions have about ten. */
export const MOST_TARGETS = 50

/** Of postings, some four kilobytes each: those of the words a person works with. */
export const BLOCKS_IN_MEMORY = 2_048

/** Rows in one statement: enough to save a server's round trips, few enough to be prepared. */
export const ROWS_A_STATEMENT = 16

/** Values in one statement; SQLite takes 32,766. */
export const VALUES_A_STATEMENT = 500

/** Contents stored together: what an interruption costs at most, and what memory holds. */
export const CONTENTS_A_FLUSH = 1_000
export const TERMS_A_FLUSH = 250_000

/** Batches that are read before a thread asks for them, so that no thread waits for the disk. */
export const BATCHES_AHEAD = 2

/** Segments of postings; each costs a query some reads, and merging costs a scan. */
export const MOST_SEGMENTS = 8

/** Worktrees whose trees are kept; those not looked at for the longest time go. */
export const MOST_TREES = 20

/** When the contents that no tree has are more than the others and this, they are dropped. */
export const MOST_DEAD_CONTENTS = 1_000

/** A file that was changed so shortly before a scan may change again without another time. */
export const RACY_MS = 2_000

/** Part of every content's key: raised when the same text would have other facts. */
export const READER_VERSION = 3

/** go.mod, package.json and tsconfig.json files of one tree that are read. */
export const MOST_MANIFESTS = 2_000

/** Contents asked of the store at a time: enough to save questions, few enough to hold. */
export const MOST_CONTENTS_AT_ONCE = 500

/** Graphs in memory: of the tree that is worked on, and of the one before the last change. */
export const MOST_KEPT_GRAPHS = 2

/** Symbols and references in memory, of the files that were looked at last: some 50 MB. */
export const MOST_KEPT_FACTS = 500_000

/** Names with the files that define them, in memory. */
export const MOST_KEPT_NAMES = 200_000

/** A name that more files define says nothing about which of them is meant. */
export const MOST_DEFINERS = 5

/** Files that define a name which are looked into for their package. */
export const MOST_COMPARED_DEFINERS = 20

/** A package hands on what its parts hand on; longer chains are rare. */
export const MOST_DOORS_IN_A_ROW = 3

/** Files that are asked, in one such search, whether they hand a name on. */
export const MOST_DOORS = 100

/** Files that use a name which are looked into, the nearest first: each costs about 2 ms. */
export const MOST_REFERRERS = 150

/** The same for each symbol that is followed further. */
export const MOST_FAR_REFERRERS = 30

/** Links of a symbol that are shown, and those of the first hop that are followed further. */
export const MOST_LINKS = 100
export const MOST_FOLLOWED_LINKS = 20

/** Files that changed together with one that are shown. */
export const MOST_COMPANIONS = 10

/** A commit of more files is a sweep, which says little about each of them. */
export const MOST_COMMIT_FILES = 20

/** The ranker was trained with at most so many commits before a task. */
export const MOST_PAST_COMMITS = 3_000

/** What is looked at to tell text from the rest, and a person's from a program's. */
export const HEAD_BYTES = 8_192

/** Names that are offered for one that is unknown: a hint has 160 characters. */
export const MOST_NEAR_NAMES = 3

/** Contents whose names are compared with one that is unknown. */
export const MOST_NEAR_CONTENTS = 50

/** Further symbols of a name that are shown. */
export const MOST_NAMESAKES = 50

/** Entries of a list that is shown as a whole, such as what was left out. */
export const MOST_LISTED = 100

/** Files whose symbols are weighed against each other: about a megabyte of text. */
export const MOST_WEIGHED_FILES = 50

/** Best symbols of a file that was found. */
export const MOST_FOUND_SYMBOLS = 5

/** Why a file was found, in a glance; the search itself says at most as many. */
export const MOST_FOUND_REASONS = 3

/** Words of a search that are looked up as names of files and symbols: a query has as many terms. */
export const MOST_NAMED_WORDS = 512
