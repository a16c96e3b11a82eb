/** Below it a fold saves less than it costs to explain. (facts/gateway h) */
export const LEAST_FOLDED_BYTES = 2_048

/** One question of a neighbour and its answer are a few hundred bytes. */
export const LARGEST_STAND_LINE_BYTES = 4_096

/** A neighbour on the same machine answers from memory; one that is halted must not hold a return up. */
export const STAND_PATIENCE_MS = 2_000

export const MOST_STAND_CONNECTIONS = 64

/** Processes that carry something for one repository at once; more sockets are not asked. */
export const MOST_CARRIERS = 64

/** A path of a Unix socket has 108 bytes with its end, on macOS 104. */
export const LONGEST_SOCKET_PATH_BYTES = 103

/** Sessions of one process whose stand is remembered; a host has one, its sub-agents share it. */
export const MOST_SESSIONS = 1_000

/** How long the end of a carry waits for its last requests to be recorded. */
export const LONGEST_RECORDING_MS = 15_000

/**
 * Of requests of one carry that wait to be recorded: more than any host sends in a second, and no
 * more than a machine can spare. What comes on top is told without being looked into.
 */
export const MOST_WAITING_BYTES = 128 * 1024 ** 2

/** Names that were looked through for secrets; each request says most of them again. */
export const MOST_KNOWN_NAMES = 20_000

/** Of one kept text of a request. */
export const LONGEST_KEPT_TEXT_UNITS = 400_000

/** Of why a piece came, as the contract has it. */
export const LONGEST_WHY_UNITS = 300
