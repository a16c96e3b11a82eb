/** Spans of a timeline: more than a person tells apart, few enough to draw without a thought. */
export const MOST_SPANS = 400

/** Spans kept while a timeline is folded; when there are so many, they are merged to half of it. */
export const MOST_KEPT_SPANS = 8_000

/** Files, changed files and compactions of one run; the newest of them stay. */
export const MOST_LISTED = 2_000

/** Markdown beyond it is shown as it was written: a model's answer is a tenth of it. */
export const LONGEST_MARKDOWN_CHARACTERS = 20_000

/** The lexer tries every star with every other; a thousand take it 25 ms, twenty thousand 5 s. */
export const MOST_EMPHASIS_MARKS = 1_000

/** Markdown inside markdown; quotes in quotes in quotes end the stack before they end. */
export const DEEPEST_MARKDOWN = 30

/** Characters of a page that wait for an activity to end, before it is shown as it is. */
export const MOST_WAITING_CHARACTERS = 8 * 1024 * 1024

/** A chunk of a page is handed on at about this length. */
export const CHUNK_CHARACTERS = 64 * 1024

/** Lines of a diff that are coloured one by one; the rest follows as plain text. */
export const MOST_COLOURED_LINES = 5_000

/** What a model is shown of the first turn, and of its answer, to find a title for them. */
export const LONGEST_TITLED_CHARACTERS = 2_000

/** A title is one line in a list; six words are asked for, twelve may come. */
export const LONGEST_TITLE_CHARACTERS = 80
export const MOST_TITLE_WORDS = 12

/** Activities inside activities on a page. */
export const DEEPEST_NESTING = 20
