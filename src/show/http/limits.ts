/** A link is opened at once by a person who sees it; a forgotten one must not stay good. */
export const LINK_LIFE_MS = 10 * 60_000

/** Links that may be open at once; the oldest goes first. */
export const MOST_OPEN_LINKS = 50

/** How long a browser stays signed in. */
export const SESSION_DAYS = 30

/** The largest body of an operation: a text to count, a config value. Uploads come another way. */
export const LARGEST_BODY_BYTES = 1_000_000

/** The name of a client in its token. */
export const LONGEST_CLIENT_NAME_CHARACTERS = 60

/** Deeper JSON than any input of ours; JSON.parse itself bears millions, our walk does not. */
export const DEEPEST_JSON_LEVELS = 64

/** Requests a minute by one token before 429: fifty agents that each call a tool every 50 ms. */
export const MOST_CALLS_A_MINUTE = 60_000

/** Requests a minute from one address before 429; a console with live data makes about ten. */
export const MOST_REQUESTS_A_MINUTE = 3_000

/** Wrong tokens a minute from one address before 429; guessing 256 bits is hopeless anyway. */
export const MOST_REFUSALS_A_MINUTE = 60

/** Addresses remembered for the two limits above; loopback has very few. */
export const MOST_ADDRESSES_REMEMBERED = 1_000

/** How long live clients may take to say goodbye when the server is told to stop. */
export const SHUTDOWN_GRACE_MS = 3_000

/** How far the next free port is looked for. */
export const PORTS_TRIED = 20

/** Events read from the journal and sent to one client in one message. */
export const LIVE_PAGE_EVENTS = 500

/** Messages that GET /api/agents/:id/messages gives when nobody says how many. */
export const DOOR_PAGE_MESSAGES = 1_000

/** Runs that the health answer counts; more than this work nowhere at once. */
export const MOST_RUNS_COUNTED = 500

/** Messages of a run read at once for one client. */
export const LIVE_PAGE_MESSAGES = 100

/** Characters of messages after which a client must have taken them; one may have 400,000. */
export const LIVE_SLICE_CHARACTERS = 1_000_000

/** Runs that one client may follow at once; a person looks at a few. */
export const MOST_FOLLOWED_RUNS = 64

/**
 * How long after word from another process a run is looked at again: its last messages come without
 * a word of their own when they follow within a quarter of a second.
 */
export const LOOK_AGAIN_MS = 500

/** A client that takes nothing for this long is cut to its cursor and may come back. */
export const LIVE_STALLED_MS = 10_000

/** Live clients at once; a person has a few tabs and a few tools. */
export const MOST_LIVE_CLIENTS = 200

/** A word to every client, so that proxies and people see that the line is alive. */
export const LIVE_HEARTBEAT_MS = 10_000

/** The largest message a client may send: a cursor. */
export const LARGEST_LIVE_MESSAGE_BYTES = 16_000

/** The largest file of the built console. */
export const LARGEST_ASSET_BYTES = 5_000_000

/** A token is 43 characters. */
export const TOKEN_FILE_LIMIT_BYTES = 1_000

/** The record of a running server is one short line. */
export const RECORD_LIMIT_BYTES = 1_000

/** How long a running server may take to give a link. */
export const ASK_RUNNING_TIMEOUT_MS = 5_000

/** A certificate with its chain is a few kilobytes. */
export const TLS_FILE_LIMIT_BYTES = 1_000_000
