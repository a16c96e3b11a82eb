/** A document is text that somebody wrote; what is larger is data. */
export const LARGEST_DOCUMENT_BYTES = 5_000_000

/** A handbook has hundreds of files, a large documentation some thousands. */
export const MOST_FILES = 20_000

/** Entries of one folder, and levels below the one that was named; real ones have far fewer. */
export const MOST_ENTRIES = 50_000
export const DEEPEST_LEVELS = 32

/** All of it lies in memory while somebody searches: about 1 kB a paragraph. */
export const MOST_PARAGRAPHS = 200_000
export const MOST_PARAGRAPHS_OF_A_DOCUMENT = 20_000

/** What is longer is cut at the end of a line or sentence: no window takes a paragraph of pages. */
export const LONGEST_PARAGRAPH_UNITS = 20_000

/** A heading is a line; of a longer one the beginning tells it from others. */
export const LONGEST_HEADING_UNITS = 300

/** References of one paragraph; a table of contents has more, and they lead everywhere. */
export const MOST_REFERENCES_OF_A_PARAGRAPH = 50

/** Files that were left out, as they are told and kept. */
export const MOST_SKIPPED_TOLD = 500

/** References that lead nowhere, as they are told. */
export const MOST_UNRESOLVED_TOLD = 200

/** Documents written in one transaction: short enough for others to have their turn. */
export const DOCUMENTS_A_TRANSACTION = 20

/** Rows of one INSERT; SQLite takes 32,766 values. */
export const ROWS_A_STATEMENT = 200

/** Texts of one call to an embedder; all that we know take 64. */
export const TEXTS_A_CALL = 64

/** Of a paragraph, what an embedder is given: most take about 8,000 tokens. */
export const LONGEST_EMBEDDED_UNITS = 8_000

/** How many paragraphs each way of searching hands to the fusion. */
export const MOST_RANKED = 200

/** Reciprocal rank fusion: how little the first places differ. The usual constant. */
export const FUSION_RANKS = 60

/** Paragraphs below the same heading that one hop reaches. */
export const MOST_UNDER_A_HEADING = 6

/** Paragraphs that are indexed before others have their turn; some 20 ms. */
export const PARAGRAPHS_A_TURN = 500

/** Words of a question that are looked for. */
export const MOST_QUESTION_TERMS = 256

/** A tag of HTML has a few attributes; comparing the names of many takes quadratic time. */
export const MOST_ATTRIBUTES = 1_000
export const HTML_STEP_UNITS = 16_384

/** Names from outside in our sentences. */
export const LONGEST_SHOWN_UNITS = 200
