/** A handbook has a few hundred; more would fill the knowledge base. */
export const MOST_PAGES = 3_000

/** Pages that the thread reads for one question; a full page takes about 10 ms. */
export const PAGES_A_QUESTION = 20

/** For opening the file, and for each question. */
export const LONGEST_SILENCE_MS = 30_000

/** For parsed objects; the bytes of the file are outside this heap. */
export const THREAD_HEAP_MB = 384

/** A page of a dense table has about 3,000. */
export const MOST_PAGE_ITEMS = 50_000

export const MOST_OUTLINE_ENTRIES = 5_000
