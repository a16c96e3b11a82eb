/** A hook of git is a script of some kilobytes; one that was generated may be larger. */
export const LARGEST_HOOK_BYTES = 4 * 1_048_576

/** Git keeps far longer messages, but nobody reads a header in them. */
export const LARGEST_MESSAGE_BYTES = 1_048_576

/** The usual limit of checkers of Conventional Commits; pages of hosts cut longer ones. */
export const LONGEST_HEADER_CHARACTERS = 100

/** Of a header that is quoted in a refusal. */
export const LONGEST_QUOTED_CHARACTERS = 120

/** A person waits for each of them; `git push --all` of a large clone may have thousands. */
export const MOST_CHECKED_BRANCHES = 50

/** As many names of files as are read before the arm gets tired. */
export const MOST_NAMED_FILES = 20

/** A merge of 5,000 files takes 7 ms; who waits longer than this shall not wait for us. */
export const GIT_TIMEOUT_MS = 10_000

/** Names of all files in conflict, or of all that lie in the memory of a repository. */
export const GIT_OUTPUT_BYTES = 8 * 1_048_576

/** Attributes of a repository that say how its files are merged. */
export const LARGEST_ATTRIBUTES_BYTES = 1_048_576

/** The lowest level of the kit that has git hooks. */
export const GIT_HOOKS_LEVEL = 3

/**
 * With this code a hook refuses. Any other failure of qm lets the work go on: a broken install must
 * not keep anybody from committing. It is "bad data" of sysexits, which Node never ends with.
 */
export const REFUSED_CODE = 65

/** Twenty thousand lines, which is as many as an index has, at their longest are 20 MB. */
export const LARGEST_INDEX_BYTES = 32 * 1_048_576
