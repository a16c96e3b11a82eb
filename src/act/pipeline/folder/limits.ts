/** An agent is a few prompts and a config; its corpus has dozens of documents, not hundreds. */
export const MOST_FOLDER_FILES = 200

/** No prompt or document that people read is larger. */
export const LARGEST_FOLDER_FILE_BYTES = 1024 ** 2

/** Every listing reads every agent whole, because what is trusted is the digest of all of it. */
export const LARGEST_FOLDER_BYTES = 20 * 1024 ** 2

/** agents/<slug>/corpus/part/chapter/section: nobody needs more. */
export const DEEPEST_FOLDER_LEVELS = 5

/** Agents in one place. */
export const MOST_AGENTS = 200

/** Past this the folder needs another look than a list of problems. */
export const MOST_PROBLEMS = 100

/** Deeper than any config, shallower than a parser's stack can bear. */
export const DEEPEST_NESTING_LEVELS = 64

/** A longer value is not repeated in a message; a part of it might be a part of a secret. */
export const LONGEST_REPEATED_CHARACTERS = 80

/** Frontmatter fields: they stand in lists and menus. */
export const LONGEST_NAME_CHARACTERS = 60
export const LONGEST_DESCRIPTION_CHARACTERS = 500
export const MOST_LISTED = 50

/** Approvals of one person, of every repository; each is a line of 200 bytes. */
export const MOST_APPROVALS = 2_000
export const TRUST_FILE_LIMIT_BYTES = 1024 ** 2
