/** A message is its text and its raw line, 200,000 characters each; escaped they may grow sixfold. */
export const LONGEST_SESSION_LINE_BYTES = 8 * 1024 * 1024

/** Of a file to import: a thousand messages of the longest kind, or a hundred thousand usual ones. */
export const LARGEST_SESSION_FILE_BYTES = 512 * 1024 * 1024

/** Messages of one session; more than an agent says in months. */
export const MOST_SESSION_MESSAGES = 200_000

/** Messages that are held at once when a session is written or read. */
export const SESSION_PAGE_MESSAGES = 500

/** How long messages may wait before they are in the session's file as well. */
export const SESSION_BATCH_MS = 500

/** Below it a file is written whole each time, so that its first line is always true. */
export const REWRITTEN_BELOW_BYTES = 1024 * 1024

/** Each appended line waits for the disk; of more lines than this, writing all is the quicker. */
export const MOST_APPENDED_LINES = 50

/** A whole file is held in memory while it is written; a longer session is in the store only. */
export const LARGEST_WRITTEN_BYTES = 64 * 1024 * 1024

/** Of the title in a folder's name: short enough for a path on every system. */
export const LONGEST_SLUG_CHARACTERS = 40

/** A host's transcript is held whole while it is read; beyond it the file is not read, and said. */
export const LARGEST_TRANSCRIPT_BYTES = 128 * 1024 * 1024

/** A line of a transcript: single ones of several megabytes are seen, longer ones are skipped. */
export const LONGEST_TRANSCRIPT_LINE_BYTES = 16 * 1024 * 1024

/** Messages a reader gives at once. */
export const READER_PAGE_DRAFTS = 200

/** The same in bytes of the transcript, so that a page is small whatever its lines are. */
export const READER_PAGE_BYTES = 4 * 1024 * 1024

/** Of a transcript's beginning a digest is kept, so that another file under its name is seen. */
export const COMPARED_HEAD_BYTES = 4 * 1024

/** What is read of a transcript for its line in a list: title, directory and id stand early. */
export const LISTED_HEAD_BYTES = 512 * 1024

/** Transcripts looked at for one list, the newest of each host; older ones are left out. */
export const MOST_LISTED_FILES = 2_000

/** Entries of one folder of a host. */
export const MOST_FOLDER_ENTRIES = 20_000

/** A sub-agent's transcript that is read in beside the call of it. */
export const LARGEST_CHILD_BYTES = 16 * 1024 * 1024

/** Calls of tools that wait for their result in one turn. */
export const MOST_OPEN_CALLS = 1_000

/** Below it a host's file holds no answer: it is a few lines about a queue. */
export const SMALLEST_RESUMABLE_BYTES = 500

/** Hosts write 80 kB and more of request snapshots before the first answer. */
export const RESUMABLE_SEARCH_BYTES = 8 * 1024 * 1024

/** What a fresh session is told of the one before it. */
export const RESTORED_TOKENS = 8_000

/** Of one message in it: the last ones shall be many rather than one. */
export const LONGEST_RESTORED_CHARACTERS = 4_000

/** A hand-off is a page or two; what is longer is not read by a model with care. */
export const HANDOFF_TOKENS = 4_000

/** Of one entry in it. */
export const LONGEST_HANDOFF_CHARACTERS = 1_200

/** Entries of one list in it, the newest. */
export const MOST_HANDOFF_ENTRIES = 20

/** Words of the agent from which decisions and questions are picked. */
export const MOST_HANDOFF_MESSAGES = 2_000
