/** One call counts at most so many files, so that its answer stays readable. */
export const MOST_COUNTED_PATHS = 10_000
