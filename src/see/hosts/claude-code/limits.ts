/** The host drops a larger instruction file whole, without a word; seen on 2.1.325. */
export const LARGEST_INSTRUCTION_BYTES = 4_194_304

/** The file itself and four hops of imports; the fifth hop is not followed. */
export const DEEPEST_IMPORT_HOPS = 4

/** What the host sends of MEMORY.md, in lines and in UTF-16 units, whichever ends first. */
export const MOST_MEMORY_LINES = 200
export const MOST_MEMORY_UNITS = 25_000

/** A description in the listing of skills is cut here unless a setting says otherwise. */
export const LONGEST_DESCRIPTION_UNITS = 1_536

/** The first line of a body that stands in for a description is cut here. */
export const LONGEST_FIRST_LINE_UNITS = 100

/** A longer name in the head of a skill or an agent is not taken. */
export const LONGEST_NAME_UNITS = 256

/** Skills, commands, agents: a file of a person is far below; the host refuses more too. */
export const LARGEST_LISTED_FILE_BYTES = 1024 * 1024

/** A transcript holds its instructions within the first 100 kB; long ones have gigabytes. */
export const TRANSCRIPT_HEAD_BYTES = 8 * 1024 * 1024

/** Sessions of one folder whose times are compared; the host itself keeps thirty days. */
export const MOST_TRANSCRIPTS = 2_000

/** The host answers within two seconds on two cores; a cold start from a slow disk takes ten. */
export const ASK_TIMEOUT_MS = 20_000

/** An answer with every category is below 200 kB. */
export const ASK_OUTPUT_BYTES = 4 * 1024 * 1024
