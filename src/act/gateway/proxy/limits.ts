/** 192 bits of chance in an address: more than can be guessed, short enough for a command line. */
export const TOKEN_BYTES = 24

/** Only tells carries apart in a log. */
export const CARRY_ID_BYTES = 6

/**
 * The largest body that is kept or folded; providers refuse above 32 MB. Beyond it a body is still
 * passed on.
 */
export const LARGEST_KEPT_BODY_BYTES = 64 * 1024 * 1024

/** Of an answer, kept for reading it later. A long answer of a model is below 1 MB. */
export const LARGEST_KEPT_ANSWER_BYTES = 8 * 1024 * 1024

/** Of a refusal's words, packed and unpacked; providers use a few hundred bytes. */
export const LARGEST_REFUSAL_BYTES = 64 * 1024

/** Of a refusal's words, in what is told further on. */
export const LONGEST_REFUSAL_CHARACTERS = 500

/** All header lines of a request or an answer. Hosts send 3 kB; Node's own 16 kB is near to that. */
export const LARGEST_HEADERS_BYTES = 64 * 1024

/** A host on this machine sends its headers at once; who does not holds a connection for nothing. */
export const HEADERS_WITHIN_MS = 30_000

/** 64 MB over a line of 0.3 Mbit/s: the body waits for the provider, so the line is what counts. */
export const BODY_WITHIN_MS = 30 * 60_000

/** How often Node looks for connections that are late. */
export const LATE_CHECK_MS = 5_000

/** An agent thinks and runs tools between two requests; its open connection should outlast that. */
export const IDLE_CONNECTION_MS = 5 * 60_000

/** Connections at once: forty agents with some parallel requests each. */
export const MOST_CONNECTIONS = 512

/** What open exchanges get at the end of a carry before they are cut. */
export const CLOSE_GRACE_MS = 2_000
