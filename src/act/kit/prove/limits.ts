/** A story has about a dozen requests; this stops a host that repeats itself forever. */
export const MOST_REQUESTS = 200

export const LARGEST_OUTPUT_BYTES = 4 * 1024 * 1024
