import fs from "node:fs"
import { promisify } from "node:util"

// Replaces `node:fs/promises` in the bundles, together with light-builtins.ts. A thread, a promise
// and a queue per access cost more than the access, so the first accesses of a process are
// synchronous: a hook or a short command has nothing else to do meanwhile. A process with more work
// uses the threads of the runtime.

/** About 10 ms if the files are in memory. */
const MOST_SYNCHRONOUS_ACCESSES = 500

let accesses = 0

export function isSynchronous(): boolean {
  return accesses++ < MOST_SYNCHRONOUS_ACCESSES
}

export async function open(path: string, flags: string | number, mode?: number) {
  if (isSynchronous()) return handleOf(fs.openSync(path, flags, mode))
  return process.getBuiltinModule("node:fs/promises").open(path, flags, mode)
}

/** The handle methods that rooms use, with Node's names and results. */
function handleOf(fd: number) {
  let isOpen = true
  const close = async () => {
    if (isOpen) fs.closeSync(fd)
    isOpen = false
  }
  return {
    fd,
    close,
    [Symbol.asyncDispose]: close,
    stat: async () => (isSynchronous() ? fs.fstatSync(fd) : await promisify(fs.fstat)(fd)),
    sync: async () => (isSynchronous() ? fs.fsyncSync(fd) : await promisify(fs.fsync)(fd)),
    datasync: async () =>
      isSynchronous() ? fs.fdatasyncSync(fd) : await promisify(fs.fdatasync)(fd),
    chmod: async (mode: number) => fs.fchmodSync(fd, mode),
    truncate: async (length: number) => fs.ftruncateSync(fd, length),
    /**
     * Offset in the buffer, length, and position in the file; null continues at the current
     * position.
     */
    async read(buffer: Buffer, ...place: readonly [number, number, number | null]) {
      if (!isSynchronous()) return await promisify(fs.read)(fd, buffer, ...place)
      return { buffer, bytesRead: fs.readSync(fd, buffer, ...place) }
    },
    async write(bytes: Uint8Array, offset?: number, length?: number) {
      if (!isSynchronous()) return await promisify(fs.write)(fd, bytes, offset, length)
      return { buffer: bytes, bytesWritten: fs.writeSync(fd, bytes, offset, length) }
    },
  }
}

export async function opendir(path: string, options?: fs.OpenDirOptions) {
  if (!isSynchronous()) return process.getBuiltinModule("node:fs/promises").opendir(path, options)
  return entriesOf(fs.opendirSync(path, options))
}

async function* entriesOf(directory: fs.Dir) {
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry
  } finally {
    directory.closeSync()
  }
}
