const MEBIBYTE = 1024 * 1024

/** The largest body that is looked into; providers take half of it. */
export const LARGEST_BODY_BYTES = 64 * MEBIBYTE

/** What an answer may grow to when it is unpacked: a small one could grow without end. */
export const LARGEST_ANSWER_BYTES = 64 * MEBIBYTE

/** Bodies and answers that wait for the thread; beyond it a request is not looked into. */
export const MOST_WAITING_BYTES = 256 * MEBIBYTE

/** Requests that wait, however small. A host has some tens open at once. */
export const MOST_WAITING = 10_000

/** A body of 64 MB becomes strings of twice that, and objects beside them. */
export const THREAD_HEAP_MB = 1_024

/** A body of 64 MB that was never counted takes 6 s here; ten times that. */
export const LONGEST_SILENCE_MS = 60_000

/** Pieces of one request that are listed; what follows is one piece. Real ones have hundreds. */
export const MOST_ITEMS = 20_000

/** A name is a path or a word; paths end at 4,096. */
export const LONGEST_NAME_UNITS = 4_096

/** Headings in one block of instructions that are tried; a host sends some tens of files. */
export const MOST_HEADINGS = 2_000

/** Counts that are remembered by hash: every request sends again what the one before had. */
export const MOST_REMEMBERED_COUNTS = 200_000

/** Pieces of the newest request of each conversation, over all conversations. */
export const MOST_REMEMBERED_PIECES = 400_000

/** Requests of one session that are no continuation of each other: titles, summaries. */
export const MOST_STRANDS = 4

/** Surveys and files that were compared; a carry has one place and some nested files. */
export const MOST_REMEMBERED_SURVEYS = 32

/** Lazily loaded files that are compared for one request; each may cost a walk. */
export const MOST_LAZY_WALKS = 20

/** A step of a trail is for reading and searching, not for restoring bytes. */
export const LONGEST_STEP_BYTES = 200_000

/** Steps of one branch; a long one has hundreds. */
export const MOST_STEPS = 5_000

/** Below the 300 of the contract: what stands in for a secret may be longer than it. */
export const LONGEST_WHY_UNITS = 250

/** What a call was about: a path mostly. */
export const LONGEST_ASKED_UNITS = 160

/** The first words of a command say which it is. */
export const LONGEST_COMMAND_UNITS = 60

/** A prompt that names files does so early. */
export const LONGEST_SEARCHED_PROMPT_UNITS = 100_000

/** What a picture of about a megapixel costs; its base64 is not text that a model reads. */
export const IMAGE_TOKENS = 1_600

/** Letters of sealed thinking a token: base64 of some four letters each, and what seals them. */
export const SEALED_UNITS_PER_TOKEN = 5.5
