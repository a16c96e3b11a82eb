import { join } from "node:path"
import {
  ensureDirectory,
  type ReadTextOutcome,
  readTextBounded,
  removeFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { FolderUnusable } from "./errors.ts"
import { MEMORY_FOLDER } from "./folders.ts"
import { LARGEST_FILE_BYTES } from "./limits.ts"

/** Its text, wherever links lead: only what really lies below the root is read. */
export function readText(root: string, file: string): Promise<ReadTextOutcome> {
  const limits = { maxBytes: LARGEST_FILE_BYTES, root: join(root, ...MEMORY_FOLDER) }
  return readTextBounded(join(root, file), limits)
}

/** What is wrong with a file that could not be read as text. */
export function problemOf(outcome: Exclude<ReadTextOutcome, { kind: "read" }>): string {
  switch (outcome.kind) {
    case "missing":
      return "it is gone"
    case "not-text":
      return "it is not UTF-8"
    case "too-large":
      return `it has ${outcome.sizeBytes} bytes; at most ${LARGEST_FILE_BYTES} are read`
    case "outside-root":
      return "it lies outside of the folder of memories"
    case "not-regular":
      return irregular(outcome.what)
    case "unreadable":
      return unreadable(outcome.reason)
    default:
      return outcome satisfies never
  }
}

export type FileChange = {
  readonly file: string
  /** With their byte-order mark and line ends; undefined when the file is not there. */
  readonly before: Uint8Array | undefined
  /** Undefined deletes the file. */
  readonly after: string | undefined
  readonly mode: number
}

/**
 * Changes files and commits what belongs to the change. When anything fails, the files are put back
 * as they were: what is in git and what is in the journal tell the same story.
 */
export async function changeFiles(
  root: string,
  changes: readonly FileChange[],
  commit: () => Promise<void>,
): Promise<void> {
  const begun: FileChange[] = []
  try {
    for (const change of changes) {
      // The very last step of a write can fail when the new bytes are in place already.
      begun.push(change)
      await write(root, change, change.after)
    }
    await commit()
  } catch (error) {
    // The first failure is the one to tell.
    for (const change of begun.toReversed()) {
      await write(root, change, change.before).catch(() => {})
    }
    throw error
  }
}

async function write(
  root: string,
  { file, mode }: FileChange,
  content: string | Uint8Array | undefined,
): Promise<void> {
  const path = join(root, file)
  if (content === undefined) await removeFile(path)
  else await writeFileAtomic(path, content, { mode })
}

/** Makes the folder of new memories, one step after the other: a link on the way would lead out. */
export async function makeFolder(root: string, folder: string): Promise<string> {
  let way = ""
  for (const name of [...MEMORY_FOLDER, folder]) {
    way = way === "" ? name : `${way}/${name}`
    const looked = await statFile(join(root, way))
    if (looked.kind === "found" && looked.what !== "directory")
      throw FolderUnusable({ folder: way, what: looked.what })
    if (looked.kind !== "found") await ensureDirectory(join(root, way), { mode: 0o755 })
  }
  return way
}

export function irregular(what: string): string {
  return `it is a ${what}, and those are not followed`
}

export function unreadable(reason: string): string {
  return `it could not be read (${reason})`
}
