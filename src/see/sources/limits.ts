/** The largest legitimate message is a page of search results. */
export const LARGEST_FRAME_BYTES = 4_000_000
