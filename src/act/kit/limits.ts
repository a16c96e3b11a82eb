/** Settings files of people are a few kilobytes; a host itself reads none over this. */
export const LARGEST_SETTINGS_BYTES = 4 * 1024 * 1024

/** A manifest holds a few dozen lines for each repository. */
export const LARGEST_MANIFEST_BYTES = 8 * 1024 * 1024

/** Our own bundle is a tenth of this. */
export const LARGEST_BUNDLE_BYTES = 4 * 1024 * 1024

/** A template is a page; all of them are read at every install. */
export const LARGEST_TEMPLATE_BYTES = 64 * 1024

/** Deeper than any settings file, shallower than what a recursive parser can bear (about 8,000). */
export const DEEPEST_NESTING_LEVELS = 100

/** A hook answers within milliseconds; a host that waits longer for a stuck one goes on without it. */
export const HOOK_TIMEOUT_SECONDS = 10

/** The boot file is in every window of every session: a screenful and no more. */
export const MOST_BOOT_LINES = 40

/** Whoever holds the lock writes a dozen small files; longer than this it is stuck. */
export const LOCK_TRIES = 50
export const LOCK_TRY_MS = 100

/** Runs of each kind when hooks are timed: the middle one of five is steady enough for a table. */
export const MEASURE_RUNS = 5
export const MEASURE_TIMEOUT_MS = 10_000
