/** Each cap of what is kept, with its reason; the unit is the last word of the name. */

/**
 * A request is kept as what it has more than the one before it. After so many the whole list is
 * written again: a list is then read with one query of at most about so many rows, and what is
 * taken away later goes in pieces of that size.
 */
export const MOST_LINKED_REQUESTS = 50

/** Lines of requests whose newest list is in memory; one that is forgotten begins a whole list. */
export const MOST_LINKS = 200

/** Carries of one run: each turn that starts the host anew is one. */
export const MOST_CARRIES_OF_RUN = 500

/** Of one text that is shown; a screen has less, and a result of a tool seldom more. */
export const LONGEST_SHOWN_TEXT_UNITS = 100_000

/** Words of a search that count. */
export const MOST_SEARCHED_WORDS = 10

/** Why a session is folded no more is one sentence. */
export const LONGEST_REASON_UNITS = 500

/** Sessions that are folded no more, the newest; as many as a process remembers. */
export const MOST_LATCHES = 1_000

/** Longer than any host keeps a session that could be taken up again. */
export const LATCH_LIFE_MS = 400 * 24 * 60 * 60 * 1_000

/** A carry that ended and of which no request is left stays in the list for so long. */
export const EMPTY_CARRY_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

/** What is too old is looked for at the end of a carry, and once in so many requests. */
export const RECORDS_PER_CLEANING = 500

/** Chains of requests, and carries, that go at a time: a write of some ten milliseconds. */
export const MOST_CLEANED = 500

/** Rows that one statement writes or asks for by name; SQLite binds 32,766 values. */
export const ROWS_PER_STATEMENT = 200

/** Texts that are read at a time; each can have hundreds of kilobytes. */
export const TEXTS_PER_STATEMENT = 20

/** Rows that are looked at before others get their turn: about a millisecond. */
export const ROWS_PER_TURN = 50

/** Below it, making a compressor costs more than the bytes it saves. */
export const SHORTEST_COMPRESSED_BYTES = 1_000

/** What unpacks to more is none of ours: the largest bodies of hosts have 35 MB. */
export const LARGEST_UNPACKED_BYTES = 128 * 1024 ** 2

/** Lines of one piece that are shown for the words they have. */
export const MOST_FOUND_LINES = 20

/** Of a line that may be as long as a file; some three on a screen. */
export const LONGEST_FOUND_LINE_UNITS = 240

/** What stands before a word on its line says what it is about. */
export const UNITS_BEFORE_FOUND = 60
