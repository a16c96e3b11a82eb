import { lstat } from "node:fs/promises"
import { dirname } from "node:path"

export type SocketQuestion = {
  readonly path: string
  readonly line: string
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
  readonly waitsForListener?: boolean
}

const LISTENER_CHECK_MS = 25

/**
 * Sends one line to a process of the same user and returns its response line. Undefined for every
 * failure: no listener, socket not private, timeout, response too long.
 */
export async function askSocket(question: SocketQuestion): Promise<string | undefined> {
  const { timeoutMs, signal, waitsForListener = false } = question
  const until = performance.now() + timeoutMs
  for (;;) {
    const answer = await askOnce({ ...question, timeoutMs: until - performance.now() })
    const isOver = until - performance.now() <= LISTENER_CHECK_MS || signal?.aborted === true
    if (answer !== NO_LISTENER) return answer
    if (!waitsForListener || isOver) return undefined
    await new Promise((resolve) => setTimeout(resolve, LISTENER_CHECK_MS))
  }
}

/** Whether a program could listen on this port of this machine now. */
export async function checkPortFree(port: number): Promise<boolean> {
  const { createServer } = await import("node:net")
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const server = createServer()
  server.once("error", () => resolve(false))
  server.listen({ port, host: "127.0.0.1", exclusive: true }, () =>
    server.close(() => resolve(true)),
  )
  return promise
}

const NO_LISTENER = Symbol("no listener")

async function askOnce(question: SocketQuestion): Promise<string | undefined | typeof NO_LISTENER> {
  const { signal } = question
  if (!(await isOwnSocket(question.path))) return NO_LISTENER
  // Loaded lazily: most processes never connect.
  const { createConnection } = await import("node:net")
  const answered = Promise.withResolvers<string | undefined | typeof NO_LISTENER>()
  const giveUp = (): void => answered.resolve(undefined)
  const timer = setTimeout(giveUp, question.timeoutMs)
  signal?.addEventListener("abort", giveUp, { once: true })
  if (signal?.aborted === true) giveUp()
  const socket = createConnection(question.path)
  let isConnected = false
  socket.on("connect", () => {
    isConnected = true
    socket.write(`${question.line}\n`)
  })
  socket.on("error", () => answered.resolve(isConnected ? undefined : NO_LISTENER))
  socket.on("close", giveUp)
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

async function isOwnSocket(path: string): Promise<boolean> {
  // A named pipe is no file; Windows protects it by default.
  if (process.platform === "win32") return true
  try {
    const socket = await lstat(path)
    return socket.isSocket() && isOwn(socket) && (await checkPrivateFolder(dirname(path)))
  } catch {
    return false
  }
}

/** In a folder that others may write to, they could place their own socket. */
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

/** Buffers bytes up to the first newline; the rest is ignored. */
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
