/** What a report must reach, as the specification says it. */
export const ENTITY_BAR = 0.8
export const CITATION_BAR = 0.75
export const RELATION_BAR = 0.7

/**
 * The share of a sentence's content words its cited paragraph must have. In the labelled cases a
 * sentence in the answer's own words kept more than a third, one about another matter a fifth.
 */
export const SUPPORT_BAR_SHARE = 0.35

/** Of several citations each carries a part: together they reach the bar, each at least this. */
export const PARTIAL_SUPPORT_SHARE = 0.2

/** Two statements are about the same when so much of the shorter one's words are in both. */
export const SAME_MATTER_SHARE = 0.6

/** With two entities in common fewer words need to be the same. */
export const SAME_MATTER_SHARE_WITH_TWO = 0.5

/** A short remark is in many long sentences; so much of the longer one must be in it. */
export const LEAST_OF_LONGER_SHARE = 0.3

/** Defined terms are short: "Harbour Office of the Port" has five words. */
export const LONGEST_TERM_WORDS = 5

/** Terms of one answer and its paragraphs; a handbook of 400 pages had 900. */
export const MOST_TERMS = 5_000

/** A paid question each: an answer of two pages has about forty citations. */
export const MOST_JUDGED = 60

/** Sentences of one matter that are held against each other; more is a list of repetitions. */
export const MOST_OF_ONE_MATTER = 40

/** By these a claim is found; a sentence without end has no more say than a long one. */
export const MOST_MATTER_ENTITIES = 8
export const MOST_MATTER_WORDS = 24

/** Pairs compared in one check: a few hundred for a long answer, so that this is a stop. */
export const MOST_COMPARED_PAIRS = 20_000

/** Failures that are told; the score counts all. */
export const MOST_TOLD_FAILURES = 100

/** Characters of a paragraph shown as evidence. */
export const LONGEST_EVIDENCE_CHARACTERS = 400

/** A range such as [P1–P9] stands for its labels; a longer one is a slip of the pen. */
export const LONGEST_LABEL_RANGE = 20

/** A paragraph has some five clauses; a page pasted as one is read so far. */
export const MOST_CLAIMS_OF_A_PARAGRAPH = 60

/** No sentence is as long: what is has lost its full stops, and is read in pieces. */
export const LONGEST_SENTENCE_CHARACTERS = 4_000
