// Errors: how a room names its own, and those of files and journals.

export type { ErrorFactory, ErrorFamily } from "./error.ts"
export { AppError, defineError, invariant, isAppError } from "./error.ts"
export {
  FileDirectoryMissing,
  FileExists,
  FileNotDirectory,
  FileNotReadable,
  FileNotRegular,
  FileNotWritable,
  FileSystemFailed,
  JsonlRecordTooLong,
  JsonlTooManyWaiting,
  StorageFull,
} from "./errors.ts"

// The world, handed in: time, names, a log, chance.

export type { Clock } from "./clock.ts"
export { systemClock, threadCpuMs } from "./clock.ts"
export type { Id, Ids } from "./id.ts"
export { createIds } from "./id.ts"
export type { Log, LogLevel } from "./log.ts"
export { createLog, LOG_LEVELS, silentLog } from "./log.ts"
export type { Random } from "./random.ts"
export { systemRandom } from "./random.ts"
export { giveOthersATurn } from "./turn.ts"

// Text: made safe for a terminal, compared the same everywhere.

export {
  compareText,
  nearest,
  ownCopy,
  visible,
  visibleLine,
  withoutHiddenSigns,
} from "./text.ts"

// Small helpers that every room needs, once: values, JSON, laziness, truncation, paths, figures.

export {
  formatAgo,
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  formatUsd,
  plural,
} from "./format.ts"
export { parseJson, parseJsonRecord } from "./json.ts"
export { once, onceUnlessRejected, openOnce } from "./lazy.ts"
export type { JsonRecord } from "./object.ts"
export { isRecord } from "./object.ts"
export { isInside } from "./path.ts"
export { firstLine, oneLine, sliceBytes, sliceText, truncate } from "./truncate.ts"

// Patterns for paths, as people write them in a config.

export type { Glob } from "./glob.ts"
export { createMatcher, parseGlob } from "./glob.ts"

// Files: replaced whole, read within bounds, never through a link.

export { writeFileAtomic } from "./files/atomic-write.ts"
export type { ReadLimits, ReadOutcome, ReadTextOutcome } from "./files/bounded-read.ts"
export { readBounded, readTextBounded } from "./files/bounded-read.ts"
export type { DirectoryEntry, ListOutcome } from "./files/directories.ts"
export { ensureDirectory, listDirectory, removeEmptyDirectory } from "./files/directories.ts"
export type { FileStat, FileType } from "./files/file-type.ts"
export type { FolderWatch } from "./files/folder-watch.ts"
export { createFolderWatch } from "./files/folder-watch.ts"
export { leadsTo } from "./files/leads-to.ts"
export { sweepLeftovers } from "./files/leftovers.ts"
export { withFileLock } from "./files/lock.ts"
export type { FolderListing, OpenFolder, OpenFolderOutcome } from "./files/open-folder.ts"
export { openFolder } from "./files/open-folder.ts"
export type { TemporaryDirectory } from "./files/temporary.ts"
export { makeTemporaryDirectory } from "./files/temporary.ts"
export type { StatOutcome } from "./files/verbs.ts"
export {
  createFile,
  freeBytes,
  linkFile,
  realPath,
  removeFile,
  renameFile,
  setFileMode,
  statFile,
} from "./files/verbs.ts"

// Journals: one JSON object a line.

export type { Jsonl, JsonlRecord } from "./jsonl.ts"
export { createJsonl } from "./jsonl.ts"
export type { JsonlItem, JsonlLimits, JsonlWarning } from "./jsonl-read.ts"
export { readJsonl, streamJsonl } from "./jsonl-read.ts"

// Processes: who we are, and the programs we start.

export type { Machine } from "./machine.ts"
export { thisMachine } from "./machine.ts"
export type { ProcessIdentity } from "./process.ts"
export { isSameProcessAlive, processIdentity } from "./process.ts"
export type {
  Environment,
  ExitOutcome,
  NotStarted,
  RunningChild,
  RunOptions,
  RunOutcome,
  StartOptions,
  StartOutcome,
} from "./spawn.ts"
export { attend, endProcessTree, launch, pickEnvironment, run, start } from "./spawn.ts"

// Threads: work that may take long or die, away from the one everybody waits for.

export type { Thread, ThreadAnswer, ThreadOptions } from "./threads.ts"
export { answerQuestions, createThread } from "./threads.ts"

// Neighbours: one line to another process of the same user, one line back.

export type { SocketQuestion } from "./socket.ts"
export { askSocket } from "./socket.ts"
export type { ListenOutcome, SocketServer, SocketService } from "./socket-server.ts"
export { listenOnSocket } from "./socket-server.ts"
