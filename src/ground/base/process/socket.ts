import { lstat } from "node:fs/promises"
import { dirname } from "node:path"

/** One line for a neighbour on this machine, and how long and how large its answer may be. */
export type SocketQuestion = {
  readonly path: string
  readonly line: string
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/**
 * One line to a process of the same user, one line back. Undefined for all that can be wrong:
 * nobody there, a place that is not ours alone, too late, too much. Nothing is sent to strangers.
 */
export async function askSocket(question: SocketQuestion): Promise<string | undefined> {
  const { signal } = question
  if (!(await isOwnSocket(question.path))) return undefined
  // Loaded here: most processes that load this room never ask anybody.
  const { createConnection } = await import("node:net")
  const answered = Promise.withResolvers<string | undefined>()
  const giveUp = (): void => answered.resolve(undefined)
  const timer = setTimeout(giveUp, question.timeoutMs)
  signal?.addEventListener("abort", giveUp, { once: true })
  if (signal?.aborted === true) giveUp()
  const socket = createConnection(question.path)
  socket.on("connect", () => socket.write(`${question.line}\n`))
  socket.on("error", giveUp).on("close", giveUp)
  const { add } = createLine({
    maxBytes: question.maxBytes,
    onLine: answered.resolve,
    onTooLong: giveUp,
  })
  socket.on("data", add)
  try {
    return await answered.promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", giveUp)
    socket.destroy()
  }
}

/** Whether a socket, and the folder it is in, belong to this user and to nobody else. */
async function isOwnSocket(path: string): Promise<boolean> {
  // A named pipe is no file; who may open it is what Windows gives by default.
  if (process.platform === "win32") return true
  try {
    const socket = await lstat(path)
    return socket.isSocket() && isOwn(socket) && (await checkPrivateFolder(dirname(path)))
  } catch {
    return false
  }
}

/** In a folder that others may write to, they could put their own socket at our name. */
export async function checkPrivateFolder(path: string): Promise<boolean> {
  const folder = await lstat(path)
  return folder.isDirectory() && isOwn(folder) && (folder.mode & 0o077) === 0
}

function isOwn({ uid }: { readonly uid: number }): boolean {
  return uid === process.getuid?.()
}

type Line = {
  readonly maxBytes: number
  onLine(line: string): void
  onTooLong(): void
}

/** Gathers bytes until there is one line; what comes after it is not looked at. */
export function createLine({ maxBytes, onLine, onTooLong }: Line) {
  const pieces: Buffer[] = []
  let sizeBytes = 0
  let isOver = false
  return {
    add(piece: Buffer): void {
      if (isOver) return
      const end = piece.indexOf("\n")
      const part = end === -1 ? piece : piece.subarray(0, end)
      sizeBytes += part.length
      pieces.push(part)
      isOver = end !== -1 || sizeBytes > maxBytes
      if (sizeBytes > maxBytes) onTooLong()
      else if (isOver) onLine(Buffer.concat(pieces).toString("utf8"))
    },
  }
}
