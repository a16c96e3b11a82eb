/** An output that goes into a later prompt; a longer one is cut and says so. */
export const MOST_OUTPUT_CHARACTERS = 60_000

/** Of the plan's sub-queries, how many are held against the web: each costs a source some seconds. */
export const MOST_WEB_QUERIES = 3

/** Pages of one web search; further ones repeat the first. */
export const WEB_RESULTS_A_QUERY = 4

/** Searches in a row that may fail before a source is left alone for this run. */
export const MOST_WEB_FAILURES = 2

/** What a page may add to a context: a search result is a pointer, not the page. */
export const MOST_WEB_CHARACTERS = 2_000

/** Paragraphs a search asks for beside its share, so that overlapping sub-queries fill the depth. */
export const SPARE_HITS = 4

/** Found paragraphs from which cross-references are followed: the best ones say where to go on. */
export const MOST_HOP_STARTS = 8

/** Part of the words of a sub-query that a section must have to count as its answer. */
export const PRIOR_WORD_SHARE = 0.6

/** Part of the paragraphs that an earlier answer may fill, so that there is room for what is new. */
export const PRIOR_SHARE = 0.5

/** Part of a context that web results and prior sections may take in all. */
export const BESIDE_SHARE = 0.3

/** Pairs of sentence and evidence a model judges in one question. */
export const MOST_JUDGED_PAIRS = 60

/** Sentences that a feedback names for each verification: a repair cannot heed more at once. */
export const MOST_FEEDBACK_SENTENCES = 6

/** Evidence quoted for one sentence. */
export const MOST_EVIDENCE_CHARACTERS = 600

/** Clarity of a question below which a person is asked what is meant. */
export const CLARITY_BAR = 0.7

/** What a line of a list of stages may hold. */
export const MOST_SUMMARY_CHARACTERS = 140

/** The last text of an agent that is kept as a stage's output. */
export const MOST_AGENT_CHARACTERS = 100_000

/** What the knowledge room takes as one question, and gives as one answer. */
export const LONGEST_SEARCH_CHARACTERS = 4_000
export const MOST_HITS = 100
