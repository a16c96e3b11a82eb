import { type AppError, isAppError } from "../error.ts"
import {
  FileDirectoryMissing,
  FileNotRegular,
  FileNotWritable,
  FileSystemFailed,
  StorageFull,
} from "../errors.ts"

export function reasonOf(error: unknown): string {
  const hasCode = error instanceof Error && "code" in error && typeof error.code === "string"
  return hasCode ? String(error.code) : "unknown"
}

export function asWriteFailure(
  error: unknown,
  context: { readonly path: string; readonly neededBytes?: number },
): AppError {
  if (isAppError(error)) return error
  const { path } = context
  const reason = reasonOf(error)
  switch (reason) {
    case "ENOSPC":
    case "EDQUOT":
      return StorageFull(context, error)
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return FileNotWritable({ path, reason }, error)
    case "ENOENT":
    case "ENOTDIR":
      return FileDirectoryMissing({ path }, error)
    case "ELOOP":
      return FileNotRegular({ path, what: "symbolic link" }, error)
    case "EISDIR":
      return FileNotRegular({ path, what: "directory" }, error)
    default:
      return FileSystemFailed({ path, reason }, error)
  }
}
