export type { FileClass } from "./classify.ts"
export { classify, classifyPath, isSecretBearing } from "./classify.ts"
export { readEnvironmentFiles } from "./environment-files.ts"
export { findGitProgram, findUserProgram } from "./git/ask.ts"
export type { Change } from "./git/changes.ts"
export { fetchRemote, PROGRAM_VARIABLES } from "./git/fetch.ts"
export type { Commit, Git } from "./git/git.ts"
export { openGit } from "./git/git.ts"
export { headCommit, listRefs, refCommit, symbolicTarget } from "./git/head.ts"
export { forecastMerge } from "./git/merge-forecast.ts"
export type { BlobOutcome } from "./git/objects.ts"
export type { ObjectFormat } from "./git/parse.ts"
export { blobId, formatOf } from "./git/parse.ts"
export type { ChangedFile } from "./git/status.ts"
export { listRemotes, readStatus, upstreamOf } from "./git/status.ts"
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
