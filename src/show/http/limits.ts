/** The largest body of an operation: a text to count, a config value. Uploads come another way. */
export const LARGEST_BODY_BYTES = 1_000_000

/** Deeper JSON than any input of ours; JSON.parse itself bears millions, our walk does not. */
export const DEEPEST_JSON_LEVELS = 64

/** Messages that GET /api/agents/:id/messages gives when nobody says how many. */
export const DOOR_PAGE_MESSAGES = 1_000

/** Runs that the health answer counts; more than this work nowhere at once. */
export const MOST_RUNS_COUNTED = 500
