/** Each cap of this room, with its reason; the unit is the last word of the name. */

/** One line that a person reads in a tree of branches. (spec/fold, rule 1) */
export const LONGEST_DESCRIPTION_CHARACTERS = 500

/** What is to be done; longer is material, and has a path. (spec/fold, rule 1) */
export const LONGEST_PROMPT_CHARACTERS = 10_000

/** The only text that the parent keeps. (spec/fold, exact surface) */
export const LONGEST_MESSAGE_CHARACTERS = 50_000

/** Evidence and open questions are lines, files are paths: what is longer belongs elsewhere. */
export const LONGEST_ITEM_CHARACTERS = 4_000
export const MOST_ITEMS = 200

/** A note on how far it is, kept for an end by force. */
export const LONGEST_PROGRESS_CHARACTERS = 2_000

/** As long as the contract allows; ids of hosts have about forty. */
export const LONGEST_SESSION_UNITS = 200

/** What a client or a tool calls itself, and what a kept text is called. */
export const LONGEST_NAME_UNITS = 200

/** The rate is per minute. */
export const RATE_WINDOW_MS = 60_000

/** A share of a budget at which a warning is said, once, in fifths: whole numbers compare exactly. */
export const WARNING_FIFTHS = 4

/**
 * A result of more than this stays under a handle. A page of code is about 500 tokens: a few pages
 * may enter a window of 8,192, and what is longer is looked at in slices.
 */
export const LARGEST_SHOWN_TOKENS = 2_000

/** A slice has room left for what a surface writes around it, and is never put under a handle. */
export const LARGEST_SLICE_TOKENS = 1_800

/** Of a digest; so small that one costs a fraction of what it stands for. */
export const LARGEST_DIGEST_TOKENS = 800

/** Characters of a line in a digest, and of a line that was found. */
export const LONGEST_SHOWN_LINE_UNITS = 200

/** A longer line is read as several, so that a file without line ends can be read in slices. */
export const LONGEST_LINE_UNITS = 1_000

/** Lines found by one search in a handle. */
export const MOST_MATCHES = 50

/** Words of a search that count. */
export const MOST_SEARCHED_WORDS = 10

/** Results beyond it are cut, and say so. Our own tools answer with far less. */
export const LARGEST_KEPT_UNITS = 8_000_000

/** Of one step in a trail; the whole of a large result is under its handle. */
export const LONGEST_TRAIL_UNITS = 100_000

/** Steps of one branch that are kept; a budget of 32,768 tokens has no room for more. */
export const MOST_TRAIL_STEPS = 2_000

/** Of what the gateway took out of a window for one branch: more than any window of a model has. */
export const LARGEST_WIRE_UNITS = 40_000_000

/** Paths that a branch touched and that are kept. */
export const MOST_TOUCHED_PATHS = 500

/** Paths and pending branches that are named in one text. */
export const MOST_NAMED_PATHS = 20
export const MOST_PENDING = 20

/** How long a caller can read a result by its handle. */
export const HANDLE_LIFE_MS = 7 * 24 * 60 * 60 * 1_000

/** The whole text of a branch's step stays longer than its handle can be used: it is the trail. */
export const TRAIL_TEXT_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

/** A session is remembered as one that has read foreign text for as long as it can go on. */
export const UNTRUSTED_LIFE_MS = 90 * 24 * 60 * 60 * 1_000

/** Finished for longer, a branch is archived. (spec/fold, exact surface) */
export const ARCHIVED_AFTER_MS = 60 * 60 * 1_000

/** Finished branches of a repository that are kept, with their trails; a few kilobytes each. */
export const MOST_BRANCHES_KEPT = 20_000

/** Old branches are looked for once in so many creations, and so many go at a time. */
export const CREATIONS_PER_CLEANING = 100
export const MOST_CLEANED_BRANCHES = 1_000

/** Overdue branches that are ended in one transaction; the rest follows. */
export const MOST_ENDED_AT_ONCE = 200

/** The wall clock may jump, so the wait for a deadline is looked at again after this. */
export const LONGEST_WAIT_MS = 60_000

/** A hook's line has some hundred bytes: 100,000 calls between two looks, past every branch. */
export const LARGEST_SPOOL_BYTES = 32 * 1024 ** 2

/** Sessions with an open branch, and what dead processes left. */
export const MOST_SPOOL_ENTRIES = 10_000
export const SPOOL_LEFT_MS = 60 * 60 * 1_000

/** Hooks know how long a text was and not what it said; most texts of tools have about so many. */
export const UNITS_PER_TOKEN = 4

/** Branches of one tree. */
export const MOST_TREE_BRANCHES = 2_000

/** Branches whose trails are searched, the newest; each trail is read and unpacked. */
export const MOST_SEARCHED_BRANCHES = 500

/** A trail that is restored without a budget. */
export const LARGEST_RESTORED_TOKENS = 10_000_000

/** Below it, making a compressor costs more than the bytes it saves. */
export const SHORTEST_COMPRESSED_BYTES = 1_000

/** A text that unpacks to more is none of ours. A sign of JSON has at most six characters. */
export const LARGEST_UNPACKED_BYTES = LARGEST_KEPT_UNITS * 6 + 2

/** A word that occurs in the text is made anew; that one is found is a matter of two tries. */
export const MOST_FENCES = 1_000

/** What is asked for after a branch that had something worth remembering. (spec/fold, memory) */
export const MOST_DISTILLED = 3

/** Receipts that are looked at in one text: an answer has one, and each costs a hash. */
export const MOST_RECEIPTS = 1_000
