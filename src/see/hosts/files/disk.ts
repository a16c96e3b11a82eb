import path from "node:path"
import {
  FileNotReadable,
  type JsonlRecord,
  listDirectory,
  readBounded,
  realPath,
  statFile,
  streamJsonl,
} from "#ground/base"

/** Entries of one folder; real rules or skills folders have dozens. */
const LARGEST_LISTED_ENTRIES = 10_000

export type DiskFile =
  | {
      readonly kind: "file"
      /** Links resolved: two paths with the same real path are the same file. */
      readonly realPath: string
      readonly bytes: Buffer
      readonly modifiedAt: number
    }
  | { readonly kind: "too-large"; readonly realPath: string; readonly sizeBytes: number }
  | { readonly kind: "directory"; readonly realPath: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unreadable"; readonly reason: string }

export type DiskEntry = {
  readonly name: string
  readonly what: "file" | "directory" | "link" | "other"
}

/**
 * Everything a host's walk may do with the disk. Walks use nothing else, so a test can pass its own
 * disk and see every path read.
 */
export type Disk = {
  /** One read: bytes, size and time are consistent. Never blocks on a FIFO or a device. */
  read(path: string, options: { readonly maxBytes: number }): Promise<DiskFile>
  list(path: string): Promise<readonly DiskEntry[]>
  realPath(path: string): Promise<string | undefined>
  modifiedAt(path: string): Promise<number | undefined>
  /** Records at the head of a journal, which may be very long. */
  records(path: string, options: { readonly maxBytes: number }): AsyncIterable<JsonlRecord>
}

export function realDisk(): Disk {
  return { read, list, realPath: withoutLinks, modifiedAt, records }
}

async function modifiedAt(file: string): Promise<number | undefined> {
  const target = await followLinks(file)
  if (target.kind !== "at") return undefined
  const fileStat = await statFile(target.path)
  return fileStat.kind === "found" ? fileStat.stat.modifiedAtMs : undefined
}

async function* records(
  file: string,
  options: { readonly maxBytes: number },
): AsyncGenerator<JsonlRecord> {
  const target = await followLinks(file)
  if (target.kind !== "at") return
  const limits = { maxBytes: options.maxBytes, maxLineBytes: options.maxBytes }
  for await (const item of streamJsonl(target.path, limits)) {
    if (item.kind === "record") yield item.record
  }
}

async function read(file: string, options: { readonly maxBytes: number }): Promise<DiskFile> {
  const target = await followLinks(file)
  if (target.kind !== "at") return target
  const outcome = await readBounded(target.path, { maxBytes: options.maxBytes })
  switch (outcome.kind) {
    case "read":
      return {
        kind: "file",
        realPath: target.path,
        bytes: outcome.bytes,
        modifiedAt: outcome.stat.modifiedAtMs,
      }
    case "too-large":
      return { kind: "too-large", realPath: target.path, sizeBytes: outcome.sizeBytes }
    case "not-regular":
      return outcome.what === "directory"
        ? { kind: "directory", realPath: target.path }
        : { kind: "unreadable", reason: `it is a ${outcome.what}` }
    case "missing":
      return { kind: "missing" }
    default:
      return { kind: "unreadable", reason: "reason" in outcome ? outcome.reason : outcome.kind }
  }
}

async function list(folder: string): Promise<readonly DiskEntry[]> {
  const real = await withoutLinks(folder)
  if (real === undefined) return []
  const outcome = await listDirectory(real, { maxEntries: LARGEST_LISTED_ENTRIES, order: "disk" })
  return outcome.kind === "listed"
    ? outcome.entries.map(({ name, what }) => ({ name, what: simply(what) }))
    : []
}

function simply(what: string): DiskEntry["what"] {
  if (what === "regular file") return "file"
  if (what === "directory") return "directory"
  return what === "symbolic link" ? "link" : "other"
}

async function withoutLinks(file: string): Promise<string | undefined> {
  const target = await followLinks(file)
  return target.kind === "at" ? target.path : undefined
}

type Target = { readonly kind: "at"; readonly path: string } | Exclude<DiskFile, { kind: "file" }>

async function followLinks(file: string): Promise<Target> {
  try {
    return { kind: "at", path: await realPath(path.resolve(file)) }
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    const { reason } = error.data
    const isMissing = reason === "ENOENT" || reason === "ENOTDIR"
    return isMissing ? { kind: "missing" } : { kind: "unreadable", reason }
  }
}
