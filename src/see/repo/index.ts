export type { FileClass } from "./classify.ts"
export { classify, classifyPath, isSecretBearing } from "./classify.ts"
export { readEnvironmentFiles } from "./environment-files.ts"
export { findGitProgram } from "./git/ask.ts"
export type { Change } from "./git/changes.ts"
export type { Commit, Git } from "./git/git.ts"
export { openGit } from "./git/git.ts"
export { headCommit } from "./git/head.ts"
export type { BlobOutcome } from "./git/objects.ts"
export type { ObjectFormat } from "./git/parse.ts"
export { blobId, formatOf } from "./git/parse.ts"
export type { ChangedFile } from "./git/status.ts"
export { readStatus } from "./git/status.ts"
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
export type { TreeFile } from "./tree-file.ts"
export { openTree, readTreeFile } from "./tree-file.ts"
export type { Skip, SkipReason, WalkedFile } from "./walk.ts"
export { SKIP_REASONS, walkTree } from "./walk.ts"
