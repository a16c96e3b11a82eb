import * as fs from "node:fs"

/**
 * Replaces `open` of `node:fs/promises` in the bundle (hooks.ts). A hook runs one step after the
 * other and then ends, so nothing else could use the time of a disk access, and a thread, a promise
 * and a queue per access cost more than the access.
 */
export async function open(path: string, flags: string | number, mode?: number) {
  return handleOf(fs.openSync(path, flags, mode))
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
    stat: async () => fs.fstatSync(fd),
    sync: async () => fs.fsyncSync(fd),
    datasync: async () => fs.fdatasyncSync(fd),
    chmod: async (mode: number) => fs.fchmodSync(fd, mode),
    truncate: async (length: number) => fs.ftruncateSync(fd, length),
    /**
     * Offset in the buffer, length, and position in the file; null continues at the current
     * position.
     */
    async read(buffer: Buffer, ...place: readonly [number, number, number | null]) {
      const [offset, length, position] = place
      return { buffer, bytesRead: fs.readSync(fd, buffer, offset, length, position) }
    },
    async write(bytes: Uint8Array, offset?: number, length?: number) {
      return { buffer: bytes, bytesWritten: fs.writeSync(fd, bytes, offset, length) }
    },
  }
}
