import { chmod, lstat, open, rename, stat, unlink } from "node:fs/promises"
import type { Server, Socket } from "node:net"
import { dirname } from "node:path"
import { ensureDirectory } from "../files/directories.ts"
import { reasonOf } from "../files/system-error.ts"
import { checkPrivateFolder, createLine } from "./socket.ts"

const SOCKET_LONGEST_PROBE_MS = 1_000

const SOCKET_MOST_LOCK_TRIES = 400

const SOCKET_LOCK_TRY_MS = 20

/** Replacing a dead server's socket takes a few milliseconds. */
const SOCKET_LOCK_STALE_MS = 5_000

export type SocketService = {
  readonly path: string
  /** Of a request; a longer one closes the connection. */
  readonly maxBytes: number
  /** For the request to arrive and the response to be read. */
  readonly patienceMs: number
  readonly maxConnections: number
  /** The signal is aborted when the client disconnects. */
  answer(line: string, signal: AbortSignal): Promise<string>
}

export type SocketServer = {
  /** False when another process has replaced or removed the socket file. */
  isOurs(): Promise<boolean>
  close(): Promise<void>
}

export type ListenOutcome =
  | { readonly kind: "listening"; readonly server: SocketServer }
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: string }

export async function listenOnSocket(service: SocketService): Promise<ListenOutcome> {
  const { path } = service
  const held = await createConnections(service)
  if (process.platform === "win32") return listenOnPipe(held, path)
  await ensureDirectory(dirname(path))
  if (!(await checkPrivateFolder(dirname(path))))
    return { kind: "refused", reason: "its folder is not private to this user" }
  const unlock = await lockPlace(path)
  if (unlock === undefined) return { kind: "taken" }
  try {
    const socketState = await probeSocketPath(path)
    if (socketState === "alive") return { kind: "taken" }
    if (socketState === "strange")
      return { kind: "refused", reason: "the path exists and is not a socket" }
    return { kind: "listening", server: await takePlace(held, path) }
  } finally {
    await unlock()
  }
}

/** Listens under a temporary name first, so that no client connects before the mode is set. */
async function takePlace(held: Connections, path: string): Promise<SocketServer> {
  const fresh = `${path}~`
  await removeIfThere(fresh)
  await listening(held.server, fresh)
  await chmod(fresh, 0o600)
  await rename(fresh, path)
  const { dev, ino } = await lstat(path)
  const isOurs = async (): Promise<boolean> => {
    const now = await lstat(path).catch(() => undefined)
    return now?.dev === dev && now.ino === ino
  }
  return {
    isOurs,
    async close() {
      if (await isOurs()) await removeIfThere(path)
      await held.close()
    },
  }
}

async function listenOnPipe(held: Connections, path: string): Promise<ListenOutcome> {
  try {
    await listening(held.server, path)
  } catch (error) {
    if (reasonOf(error) === "EADDRINUSE") return { kind: "taken" }
    throw error
  }
  return {
    kind: "listening",
    server: { isOurs: () => Promise.resolve(true), close: held.close },
  }
}

async function listening(server: Server, path: string): Promise<void> {
  const listened = Promise.withResolvers<void>()
  server.once("error", listened.reject)
  server.listen({ path, exclusive: true }, listened.resolve)
  await listened.promise
  server.off("error", listened.reject)
  server.unref()
}

async function probeSocketPath(path: string): Promise<"nothing" | "dead" | "alive" | "strange"> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return "nothing"
  if (!stats.isSocket()) return "strange"
  return probe(path)
}

/** A refused or missing socket is dead; a slow one is not. */
async function probe(path: string): Promise<"dead" | "alive"> {
  const { createConnection } = await import("node:net")
  const verdict = Promise.withResolvers<"dead" | "alive">()
  const socket = createConnection(path)
  const timer = setTimeout(() => verdict.resolve("alive"), SOCKET_LONGEST_PROBE_MS)
  socket.on("connect", () => verdict.resolve("alive"))
  socket.on("error", (error) => {
    const isGone = ["ECONNREFUSED", "ENOENT"].includes(reasonOf(error))
    verdict.resolve(isGone ? "dead" : "alive")
  })
  try {
    return await verdict.promise
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

/**
 * A lock, so that two processes that find a dead socket do not both replace it. It is held for
 * milliseconds; an old one belongs to a dead process. Should two pass, the second owns the socket
 * and the first notices.
 */
async function lockPlace(path: string): Promise<(() => Promise<void>) | undefined> {
  const lock = `${path}.lock`
  for (let tries = 0; tries < SOCKET_MOST_LOCK_TRIES; tries++) {
    try {
      await using _made = await open(lock, "wx", 0o600)
      return () => removeIfThere(lock)
    } catch (error) {
      if (reasonOf(error) !== "EEXIST") throw error
    }
    const held = await stat(lock).catch(() => undefined)
    const isStale = held !== undefined && Date.now() - held.mtimeMs > SOCKET_LOCK_STALE_MS
    if (isStale) await removeIfThere(lock)
    else await new Promise((resolve) => setTimeout(resolve, SOCKET_LOCK_TRY_MS))
  }
  return undefined
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (reasonOf(error) !== "ENOENT") throw error
  }
}

type Connections = Awaited<ReturnType<typeof createConnections>>

async function createConnections(service: SocketService) {
  // Loaded lazily: most processes never listen.
  const { createServer } = await import("node:net")
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    serveOne(socket, service)
  })
  server.maxConnections = service.maxConnections
  return {
    server,
    async close(): Promise<void> {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function serveOne(socket: Socket, service: SocketService): void {
  const gone = new AbortController()
  const hangUp = (): void => void socket.destroy()
  const late = setTimeout(hangUp, service.patienceMs)
  // A client may disconnect at any time.
  socket.on("error", hangUp)
  socket.on("close", () => {
    clearTimeout(late)
    gone.abort()
  })
  const { add } = createLine({
    maxBytes: service.maxBytes,
    onTooLong: hangUp,
    onLine(line) {
      clearTimeout(late)
      service.answer(line, gone.signal).then((text) => {
        socket.end(`${text}\n`)
        // Closes clients that do not disconnect after the response.
        socket.setTimeout(service.patienceMs, hangUp)
      }, hangUp)
    },
  })
  socket.on("data", add)
}
