/** What every later turn is told: enough to go on from, little enough to be paid each time. */
export const SUMMARY_LEAST_CHARACTERS = 500
export const SUMMARY_MOST_CHARACTERS = 1_500

/** The longer tier, on demand. */
export const LONGER_MOST_CHARACTERS = 8_000

/** Lists of a summary; a run of the deepest kind has 15 sub-queries. */
export const MOST_SUMMARY_ITEMS = 20
export const LONGEST_SUMMARY_ITEM_CHARACTERS = 600

/** A question of 20,000 characters is material; its beginning says what was asked. */
export const LONGEST_QUERY_CHARACTERS = 300

/** Sections offered to a later run, and the text of one. */
export const MOST_PRIOR_SECTIONS = 30
export const LONGEST_SECTION_CHARACTERS = 20_000

/** Of a result file: thirty sections, escaped, with room to spare. */
export const RESULT_FILE_LIMIT_BYTES = 4 * 1024 ** 2
