/** A pointer file of git holds one path; the longest path Linux takes is 4,096 bytes. */
export const GIT_POINTER_LIMIT_BYTES = 8_192

/** How far up a repository is looked for; the hostile corpus nests 2,000 folders. */
export const DEEPEST_ANCESTOR_LEVELS = 256

/** How deep a listing goes; the hostile corpus nests 2,000 folders. */
export const DEEPEST_LISTED_LEVELS = 64

/** A file of settings for a program; larger ones hold something else. */
export const ENVIRONMENT_FILE_LIMIT_BYTES = 256 * 1024

export const MOST_ENVIRONMENT_FILES = 20
