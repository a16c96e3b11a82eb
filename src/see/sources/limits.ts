/** One message of a server; the largest honest one is a page of search results. */
export const LARGEST_FRAME_BYTES = 4_000_000
