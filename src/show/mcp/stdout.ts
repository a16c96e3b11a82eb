type WriteCallback = (error?: Error | null) => void
type Stream = Pick<NodeJS.WriteStream, "write">

type TakenStdout = Disposable & {
  write(frame: string): Promise<void>
}

/**
 * Reserves stdout for frames. Other writes, of a package that prints or of our own code, go to
 * stderr: one stray word breaks the protocol.
 */
export function takeStdout(stdout: Stream, stderr: Stream): TakenStdout {
  const own = stdout.write
  const frame = own.bind(stdout)
  stdout.write = (
    chunk: string | Uint8Array,
    second?: BufferEncoding | WriteCallback,
    third?: WriteCallback,
  ) => {
    const done = typeof second === "function" ? second : third
    return typeof second === "string" && typeof chunk === "string"
      ? stderr.write(chunk, second, done)
      : stderr.write(chunk, done)
  }
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        frame(text, (error) => (error ? reject(error) : resolve()))
      }),
    [Symbol.dispose]() {
      stdout.write = own
    },
  }
}
