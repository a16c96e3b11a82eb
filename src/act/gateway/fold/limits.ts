/** A larger body is not read at all: JSON of this size takes seconds. Providers refuse at 32 MB. */
export const LARGEST_FOLDED_BODY_BYTES = 64 * 1024 * 1024

/** What a provider allows in one request; we never have more of them than we were given. */
export const MOST_CACHE_MARKERS = 4

/** Of what a call beside a return was asked, in the label of its answer. */
export const LONGEST_CALL_LABEL_UNITS = 200
