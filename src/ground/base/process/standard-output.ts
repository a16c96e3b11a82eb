import { fstatSync, writeSync } from "node:fs"

/** Device number of /dev/null on Linux. */
const LINUX_NULL_DEVICE = 259

/**
 * Standard output or error. A file or pipe is written synchronously, as the streams of `process` do,
 * without loading those streams: their modules take a tenth of the start of a short command. A
 * terminal uses the stream. `onClosed` is called when the reader has closed the pipe; later texts are
 * dropped.
 */
export function openOutput(descriptor: 1 | 2, onClosed: () => void) {
  let stream: NodeJS.WriteStream | undefined
  let isClosed = false
  const close = (): void => {
    isClosed = true
    onClosed()
  }
  const loadStream = (): NodeJS.WriteStream => {
    if (stream !== undefined) return stream
    stream = descriptor === 1 ? process.stdout : process.stderr
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
      close()
    })
    return stream
  }
  if (!isPlain(descriptor)) loadStream()
  return {
    loadStream,
    isTerminal: stream?.isTTY === true,
    get columns() {
      return stream?.columns
    },
    write(text: string): void {
      if (isClosed) return
      const rest = stream === undefined ? writeNow(descriptor, text, close) : text
      // Text that the pipe does not take yet. The stream waits, and later texts follow in order.
      if (rest.length > 0) loadStream().write(rest)
    },
  }
}

function isPlain(descriptor: number): boolean {
  if (process.platform === "win32") return false
  try {
    const stats = fstatSync(descriptor)
    return !stats.isCharacterDevice() || stats.rdev === LINUX_NULL_DEVICE
  } catch {
    return false
  }
}

/** Returns the bytes that could not be written without waiting. */
function writeNow(descriptor: number, text: string, onClosed: () => void): Buffer | "" {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(descriptor, bytes, written)
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined
      if (code === "EAGAIN") return bytes.subarray(written)
      if (code !== "EPIPE") throw error
      onClosed()
      return ""
    }
  }
  return ""
}
