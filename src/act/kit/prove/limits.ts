/** A story has a dozen requests; a host that repeats itself for ever is stopped by this. */
export const MOST_REQUESTS = 200

/** A host's own words are kept for the case that it fails: the end of them is enough. */
export const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024
