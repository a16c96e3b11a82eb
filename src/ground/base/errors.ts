import { defineError } from "./error.ts"
import { visibleLine } from "./text/text.ts"

/** Messages show paths with `visibleLine`, because names are untrusted; `data` has the original. */

export const StorageFull = defineError<{ path: string; neededBytes?: number }>()("STORAGE_FULL", {
  family: "full",
  message: (it) => `No space left to write ${size(it.neededBytes)} at ${visibleLine(it.path)}.`,
  hint: () =>
    "Free space on that disk or raise the quota, then repeat the call. Data stored earlier is intact.",
})

export const FileNotWritable = defineError<{ path: string; reason: string }>()(
  "FILE_NOT_WRITABLE",
  {
    family: "denied",
    message: (it) => `Cannot write ${visibleLine(it.path)} (${it.reason}).`,
    hint: () => "Check owner and mode of the file and its folder, or choose a writable location.",
  },
)

export const FileNotReadable = defineError<{ path: string; reason: string }>()(
  "FILE_NOT_READABLE",
  {
    family: "denied",
    message: (it) => `Cannot read ${visibleLine(it.path)} (${it.reason}).`,
    hint: () => "Check owner and mode of the file and of its parent folders.",
  },
)

export const FileNotRegular = defineError<{ path: string; what: string }>()("FILE_NOT_REGULAR", {
  family: "conflict",
  message: (it) => `${visibleLine(it.path)} is a ${it.what}, not a regular file.`,
  hint: () => "Move it away, or pass the path of the file itself. Links are not followed here.",
})

export const FileNotDirectory = defineError<{ path: string; what: string }>()(
  "FILE_NOT_DIRECTORY",
  {
    family: "conflict",
    message: (it) => `${visibleLine(it.path)} is a ${it.what}, not a directory.`,
    hint: () =>
      "Move it away, or pass the path of the directory itself. Links are not followed here.",
  },
)

export const FileDirectoryMissing = defineError<{ path: string }>()("FILE_DIRECTORY_MISSING", {
  family: "not-found",
  message: (it) => `The directory of ${visibleLine(it.path)} does not exist.`,
  hint: () => "Create the directory first, or check the path for a typing mistake.",
})

export const FileExists = defineError<{ path: string }>()("FILE_EXISTS", {
  family: "conflict",
  message: (it) => `${visibleLine(it.path)} already exists and was not replaced.`,
  hint: () => "Choose another name, or move the existing file away.",
})

export const FileBusy = defineError<{ path: string; pid: number }>()("FILE_BUSY", {
  family: "conflict",
  message: (it) => `Process ${it.pid} is changing ${visibleLine(it.path)}. Nothing was written.`,
  hint: () => "Repeat the call. If that process is stuck, end it; its lock is then taken over.",
})

export const FileSystemFailed = defineError<{ path: string; reason: string }>()(
  "FILE_SYSTEM_FAILED",
  {
    family: "unavailable",
    message: (it) => `The file system failed at ${visibleLine(it.path)} (${it.reason}).`,
    hint: () =>
      "Check the disk and the system log. After EIO, assume that the last write was not stored.",
  },
)

export const JsonlRecordTooLong = defineError<{
  path: string
  sizeBytes: number
  maxLineBytes: number
}>()("JSONL_RECORD_TOO_LONG", {
  family: "invalid",
  message: (it) =>
    `A record of ${it.sizeBytes} bytes exceeds the limit of ${it.maxLineBytes} bytes per line in ${visibleLine(it.path)}.`,
  hint: () => "Store the large part in a separate file and put only its path in the record.",
})

export const JsonlTooManyWaiting = defineError<{ path: string; waiting: number }>()(
  "JSONL_TOO_MANY_WAITING",
  {
    family: "unavailable",
    message: (it) => `${it.waiting} records are waiting to be written to ${visibleLine(it.path)}.`,
    hint: () => "Await pending appends before you append more; the disk is slower than the caller.",
  },
)

function size(bytes: number | undefined): string {
  return bytes === undefined ? "more" : `${bytes} bytes`
}
