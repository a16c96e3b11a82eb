export type { Clock } from "./clock.ts"
export { createPause, giveOthersATurn, systemClock, threadCpuMs } from "./clock.ts"
export type { ErrorFactory, ErrorFamily } from "./error.ts"
export { AppError, defineError, invariant, isAppError } from "./error.ts"
export {
  FileDirectoryMissing,
  FileExists,
  FileNotReadable,
  FileNotWritable,
  StorageFull,
} from "./errors.ts"
export { sweepLeftovers, writeFileAtomic } from "./files/atomic-write.ts"
export type { ReadOutcome, ReadTextOutcome } from "./files/bounded-read.ts"
export { readBounded, readStart, readTextBounded } from "./files/bounded-read.ts"
export type { DirectoryEntry, TemporaryDirectory } from "./files/directories.ts"
export {
  ensureDirectory,
  listDirectory,
  makeTemporaryDirectory,
  removeEmptyDirectory,
} from "./files/directories.ts"
export type { StatOutcome } from "./files/file-operations.ts"
export {
  createFile,
  findWriteBarrier,
  freeBytes,
  leadsTo,
  linkFile,
  readHeadNow,
  realPath,
  removeFile,
  renameFile,
  setFileMode,
  setModifiedTime,
  statFile,
  statNow,
  tryRename,
} from "./files/file-operations.ts"
export type { FileStat, FileType } from "./files/file-type.ts"
export { createFolderWatch } from "./files/folder-watch.ts"
export { countRows, openForeignDatabase } from "./files/foreign-database.ts"
export type { JsonlRecord } from "./files/jsonl.ts"
export { createJsonl } from "./files/jsonl.ts"
export type { JsonlItem } from "./files/jsonl-read.ts"
export { readJsonl, streamJsonl, streamLines } from "./files/jsonl-read.ts"
export { lockHolder, whileLocked, withFileLock } from "./files/lock.ts"
export type { FolderListing, OpenFolder, OpenFolderOutcome } from "./files/open-folder.ts"
export { openFolder } from "./files/open-folder.ts"
export {
  importValidators,
  mapStack,
  missingBuiltFile,
  missingPackageFiles,
  packageFile,
  readBuilt,
  threadModule,
  versions,
} from "./files/package-files.ts"
export {
  formatAgo,
  formatBytes,
  formatCostChange,
  formatCostSum,
  formatCount,
  formatDuration,
  formatExact,
  formatForecast,
  formatUsd,
  plural,
} from "./format.ts"
export type { Ids, Random } from "./id.ts"
export { createIds, systemRandom } from "./id.ts"
export { nestingOf, parseJson, parseJsonRecord } from "./json.ts"
export { once, onceUnlessRejected, openOnce, shareNext } from "./lazy.ts"
export type { Log } from "./log.ts"
export { createLog, silentLog } from "./log.ts"
export type { JsonRecord } from "./object.ts"
export { asRecord, isRecord } from "./object.ts"
export { isOwnTool } from "./own-tool.ts"
export { isInside } from "./path.ts"
export { limitYoungHeap, releaseMemory } from "./process/memory.ts"
export { openPage, openWindow } from "./process/open-page.ts"
export type { Machine, ProcessIdentity } from "./process/process.ts"
export { isSameProcessAlive, processIdentity, thisMachine } from "./process/process.ts"
export { askSocket, checkPortFree } from "./process/socket.ts"
export type { ListenOutcome, SocketServer } from "./process/socket-server.ts"
export { listenOnSocket } from "./process/socket-server.ts"
export type {
  Environment,
  ExitOutcome,
  RunningChild,
  RunOutcome,
} from "./process/spawn.ts"
export { attend, endProcessTree, launch, pickEnvironment, run, start } from "./process/spawn.ts"
export { openOutput } from "./process/standard-output.ts"
export type { Thread, ThreadAnswer } from "./process/threads.ts"
export { answerQuestions, createThread } from "./process/threads.ts"
export { createRecentCache } from "./recent-cache.ts"
export { createByteTable } from "./text/byte-table.ts"
export { sliceFrontMatter } from "./text/front-matter.ts"
export type { Glob } from "./text/glob.ts"
export { createMatcher, matchSequence, parseGlob } from "./text/glob.ts"
export { guidelineFields } from "./text/guideline-fields.ts"
export type { StaticFact } from "./text/static-page.ts"
export { closeStaticPage, openStaticPage } from "./text/static-page.ts"
export {
  compareText,
  escapeMarkup,
  isLongText,
  nearest,
  ownCopy,
  visible,
  visibleLine,
  withoutHiddenCharacters,
} from "./text/text.ts"
export { estimateTokens } from "./text/token-estimate.ts"
export { firstLine, oneLine, sliceBytes, sliceText, truncate } from "./truncate.ts"
