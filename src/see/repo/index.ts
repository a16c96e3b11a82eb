// Where work lies, and whether it can be worked in.

export type { Assignment } from "./environment-files.ts"
export { readEnvironmentFiles } from "./environment-files.ts"
export type { ListedFiles } from "./list-files.ts"
export { listFiles } from "./list-files.ts"
export type { Repository } from "./repo.ts"
export {
  bareRepository,
  belongsToRepository,
  currentBranch,
  directoryProblem,
  locateRepository,
  PROJECT_FOLDER,
  projectFolders,
} from "./repo.ts"

// The working tree: its files, what they are, what was left out, what changes.

export type { FileClass } from "./classify.ts"
export { classify, classifyPath, isSecretBearing } from "./classify.ts"
export type { TreeFile, TreeReader } from "./tree-file.ts"
export { openTree, readTreeFile } from "./tree-file.ts"
export type { Skip, SkipReason, Walk, WalkedFile, WalkLimits } from "./walk.ts"
export { SKIP_REASONS, walkTree } from "./walk.ts"

// History, by the one safe way to git.

export { GitAnswerTooLarge, GitFailed, GitTimedOut } from "./errors.ts"
export { findGitProgram } from "./git/ask.ts"
export type { Change } from "./git/changes.ts"
export type { Commit, Git, OpenedGit } from "./git/git.ts"
export { openGit } from "./git/git.ts"
export { headCommit } from "./git/head.ts"
export type { BlobOutcome } from "./git/objects.ts"
export type { ObjectFormat, TreeEntry, TreeList } from "./git/parse.ts"
export { blobId } from "./git/parse.ts"
