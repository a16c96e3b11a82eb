// Where work lies, and whether it can be worked in.

export { directoryProblem } from "./directory.ts"
export type { Assignment } from "./environment-files.ts"
export { readEnvironmentFiles } from "./environment-files.ts"
export type { ListedFiles } from "./list-files.ts"
export { listFiles } from "./list-files.ts"
export { belongsToRepository, projectFolders } from "./project-folders.ts"
export type { Repository } from "./repo.ts"
export { bareRepository, currentBranch, locateRepository, PROJECT_FOLDER } from "./repo.ts"

// The working tree: its files, what they are, what was left out, what changes.

export type { FileClass } from "./classify.ts"
export { classify, classifyPath, isSecretBearing } from "./classify.ts"
export type { Skip, SkipReason } from "./skip.ts"
export { SKIP_REASONS } from "./skip.ts"
export type { TreeFile, TreeReader } from "./tree-file.ts"
export { openTree, readTreeFile } from "./tree-file.ts"
export type { Walk, WalkedFile, WalkLimits } from "./walk.ts"
export { walkTree } from "./walk.ts"
export type { TreeChanges } from "./watch.ts"
export { watchTree } from "./watch.ts"

// History, by the one safe way to git.

export { GitAnswerTooLarge, GitFailed, GitTimedOut } from "./errors.ts"
export type { Change } from "./git/changes.ts"
export type { Commit, Git, OpenedGit } from "./git/git.ts"
export { openGit } from "./git/git.ts"
export { headCommit } from "./git/head.ts"
export type { ObjectFormat } from "./git/object-id.ts"
export { blobId } from "./git/object-id.ts"
export type { BlobOutcome } from "./git/objects.ts"
export type { TreeEntry, TreeList } from "./git/parse.ts"
export { findGitProgram } from "./git/program.ts"
