/** A story takes a host about three seconds; a slow machine with a cold disk some twenty. */
export const LONGEST_HOST_MS = 55_000

/** What a person waits for the whole proof, all hosts together. */
export const LONGEST_PROOF_MS = 120_000

/** A question about hooks or servers is answered in a tenth of a second. */
export const LONGEST_QUESTION_MS = 10_000

/** A host sends its whole conversation with each request: about 200 kB in a story of ours. */
export const LARGEST_REQUEST_BYTES = 16 * 1024 * 1024

/** A story has a dozen requests; a host that repeats itself for ever is stopped by this. */
export const MOST_REQUESTS = 200

/** A host's own words are kept for the case that it fails: the end of them is enough. */
export const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024

/** What a host may have left of a story under the folder's name, and how deep. */
export const MOST_LEFTOVERS = 1_000
export const DEEPEST_LEFTOVERS = 6

/** Characters of chance in a mark: nobody's text holds one by accident. */
export const MARK_BYTES = 8

/** Hosts cut what is longer, without a word, at 10,000 characters. */
export const MOST_CONTEXT_BYTES = 9_000
