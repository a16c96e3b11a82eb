import * as fs from "node:fs"

/**
 * Stands in for the `open` of `node:fs/promises` in the bundle (hooks.ts). A hook does one thing
 * after the other and then ends: there is nobody who could use the time while a disk is waited for,
 * and a thread, a promise and a queue for each look at a file cost more than the look.
 */
export async function open(path: string, flags: string | number, mode?: number) {
  return handleOf(fs.openSync(path, flags, mode))
}

/** What rooms use of a handle; the names and the answers are Node's. */
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
    /** Where in the buffer, how much, and where in the file; null goes on where it was. */
    async read(buffer: Buffer, ...place: readonly [number, number, number | null]) {
      const [offset, length, position] = place
      return { buffer, bytesRead: fs.readSync(fd, buffer, offset, length, position) }
    },
    async write(bytes: Uint8Array, offset?: number, length?: number) {
      return { buffer: bytes, bytesWritten: fs.writeSync(fd, bytes, offset, length) }
    },
  }
}
