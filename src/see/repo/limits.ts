/** A pointer file of git holds one path; the longest path Linux takes is 4,096 bytes. */
export const GIT_POINTER_LIMIT_BYTES = 8_192

/** How far up a repository is looked for; the hostile corpus nests 2,000 folders. */
export const DEEPEST_ANCESTOR_LEVELS = 256

/** How deep a listing goes; the hostile corpus nests 2,000 folders. */
export const DEEPEST_LISTED_LEVELS = 64

/** A file of settings for a program; larger ones hold something else. */
export const ENVIRONMENT_FILE_LIMIT_BYTES = 256 * 1024

export const MOST_ENVIRONMENT_FILES = 20

/** A pattern is matched in steps of its length; longer than any path, it cannot match one. */
export const LONGEST_IGNORE_PATTERN = 4_096

/** Each rule is tried on each file; the longest collections in use have some hundred. */
export const MOST_IGNORE_RULES = 5_000

/** An ignore file of more is not one that a person wrote. */
export const IGNORE_FILE_LIMIT_BYTES = 256 * 1024

/** Scripts whose lines are longer than this on average were written by a machine. */
export const LONGEST_HAND_WRITTEN_LINE = 500

/** What is looked at to tell text from the rest, and a person's from a program's. */
export const HEAD_BYTES = 8_192

/** The hostile corpus nests 2,000 folders; one handle is held for each level. */
export const DEEPEST_WALKED_LEVELS = 64

/** Five times the largest repository that this is meant for. */
export const MOST_WALKED_FILES = 500_000

/** Ignored files cost a look too: a folder of caches may have millions. */
export const MOST_WALKED_ENTRIES = 2_000_000

/** Text of more was not written by hand, and no grammar reads it in its time. */
export const LARGEST_TEXT_BYTES = 2 * 1024 ** 2

/** All text of a tree: more cannot be indexed in minutes. */
export const LARGEST_TREE_BYTES = 4 * 1024 ** 3

/** What was left out is listed for people; past this only counted. */
export const MOST_LISTED_SKIPS = 10_000

/** A look at a file takes some microseconds: after this many, others have a turn. */
export const LOOKS_A_TURN = 512

/** Git follows five from one ref to the next. */
export const MOST_REF_HOPS = 5

/** A million refs of some sixty bytes each. */
export const PACKED_REFS_LIMIT_BYTES = 128 * 1024 ** 2

/** Objects in one folder before git packs them are some thousand. */
export const MOST_OBJECT_ENTRIES = 1_000_000

/** A cold disk and the history of a kernel; what takes longer hangs. */
export const GIT_TIMEOUT_MS = 60_000

/** A list of 500,000 files of 200 bytes each; a tree that holds itself has no end. */
export const GIT_OUTPUT_LIMIT_BYTES = 128 * 1024 ** 2

/** What git may take at once; the table of all objects of a kernel's history is a tenth of it. */
export const LARGEST_GIT_OBJECT_BYTES = 512 * 1024 ** 2

/** One round of reading blobs: large enough to be fast, small enough to hold. */
export const BLOBS_A_ROUND_BYTES = 32 * 1024 ** 2

/** Commits whose trees are compared together: starting git costs more than reading a thousand. */
export const COMMITS_A_ROUND = 4_096

/** Commits of some hundred bytes each, in one answer. */
export const OBJECTS_A_ROUND = 4_096

/** Two trees of some kilobytes each, in one answer. */
export const PAIRS_A_ROUND = 8_192

/** Changed folders of one level, of all commits of a round: some megabytes to hold. */
export const MOST_OPEN_FOLDERS = 500_000

/** One that touches more says nothing about what belongs together. */
export const MOST_CHANGES_A_COMMIT = 5_000

/** What a person writes about a change; logs and dumps come after it. */
export const LONGEST_MESSAGE_BYTES = 16_384

/** Longer ago says little about what belongs together today. */
export const MOST_COMMITS = 50_000

/** Editors write a file in several steps, and git thousands of files in a row. */
export const WATCH_QUIET_MS = 150

/** Something that never stops writing must not keep all other changes waiting. */
export const WATCH_LONGEST_MS = 2_000

/** Where the system cannot watch; a walk of 10,000 files takes a tenth of a second. */
export const WATCH_POLL_MS = 5_000

/** Where it can: systems lose events under load, and say so or not. */
export const WATCH_LOOK_ANYWAY_MS = 60_000

/** A system gives a user some ten thousand watches, for all programs together. */
export const MOST_WATCHED_FOLDERS = 8_192

/** More than this is another branch, and told by a walk. */
export const MOST_LISTED_CHANGES = 10_000

/** Some seconds of matching; 100,000 files under fifty rules with stars take a twentieth of it. */
export const MOST_RULE_STEPS = 2_000_000_000
