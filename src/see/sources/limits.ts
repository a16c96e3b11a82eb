/** The largest legitimate message is a page of search results. */
export const LARGEST_FRAME_BYTES = 4_000_000

/** A reason of `SourceFailed`. A paid tool should not be called again unchanged. */
export const FRAME_TOO_LARGE =
  "its answer is larger than 4 MB. Ask it for less, such as fewer results"
