/** Each cap of the bridge, with its reason; the unit is the last word of the name. */

/** A prompt of a sub-agent is a page or two; what a package is chosen by stands at its beginning. */
export const LONGEST_PROMPT_BYTES = 64 * 1024

/** With every sign of the prompt escaped, and the names beside it. */
export const LARGEST_RECORD_BYTES = 512 * 1024

/** A sub-agent starts within a second of its prompt; who has not after an hour never will. */
export const PROMPT_LIFE_MS = 60 * 60 * 1_000

/** Prompts that wait in one session, and sessions that wait: more is a loop, and is swept. */
export const MOST_WAITING_PROMPTS = 1_000
export const MOST_WAITING_SESSIONS = 500

/** Of the 150 ms that the whole hook has; starting a process takes the rest. */
export const LONGEST_ASK_MS = 100

/** An index daemon that is there says at once that it has heard. */
export const LONGEST_ANNOUNCE_MS = 25

/** Hosts cut what is longer without a word. */
export const LARGEST_PACKAGE_BYTES = 9_000

/** An answer with every sign escaped. */
export const LARGEST_ANSWER_BYTES = 64 * 1024

/** A question with every sign escaped stays below. */
export const LARGEST_QUESTION_BYTES = 512 * 1024

/** Names of hosts for an agent are short words. */
export const LONGEST_AGENT_TYPE_UNITS = 200

/** The address of a socket has room for 104 bytes on one system and 108 on another. */
export const LONGEST_SOCKET_PATH_BYTES = 100

/** A hook sends its question in one piece as soon as it is connected. */
export const LONGEST_QUESTION_WAIT_MS = 1_000

/** Sub-agents that start at the same moment; whoever comes then is not served. */
export const MOST_DAEMON_CONNECTIONS = 64
