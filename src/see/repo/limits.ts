/** A pointer file of git holds one path; the longest path Linux takes is 4,096 bytes. */
export const GIT_POINTER_LIMIT_BYTES = 8_192

/** How far up a repository is looked for; the hostile corpus nests 2,000 folders. */
export const DEEPEST_ANCESTOR_LEVELS = 256
