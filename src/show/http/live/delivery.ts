import type { DefaultEventsMap, Server, Socket } from "socket.io"
import type { Clock } from "#ground/base"
import type { Cursor, LIVE_PROTOCOL } from "#ground/contract"

/** A client that accepts nothing for this long is disconnected with its cursor. */
export const LIVE_STALLED_MS = 10_000

type ClientEvents = {
  [Name in keyof typeof LIVE_PROTOCOL.clientEvents]: (input: unknown, answer: unknown) => void
}
type ServerEvents = { [Name in keyof typeof LIVE_PROTOCOL.serverEvents]: (body: object) => void }

export type LiveServer = Server<ClientEvents, ServerEvents, DefaultEventsMap>
export type LiveSocket = Socket<ClientEvents, ServerEvents, DefaultEventsMap>

export type LiveClient = {
  readonly socket: LiveSocket
  /** Closes the TCP connection: a client that does not read would not see a close message. */
  destroy(): void
}

/** Runs the pump when woken, never twice at once, and again if woken meanwhile. */
export function keepRunning(pump: () => Promise<void>, failed: (error: unknown) => void) {
  let isRunning = false
  let isWoken = false
  async function run(): Promise<void> {
    try {
      while (isWoken) {
        isWoken = false
        await pump()
      }
    } finally {
      // In the same tick as the last check of isWoken, so that no wake is lost.
      isRunning = false
    }
  }
  return {
    wake(): void {
      isWoken = true
      if (isRunning) return
      isRunning = true
      void run().catch(failed)
    },
  }
}

/** "Try again later", with the cursor to resume from. */
export function cut(socket: LiveSocket, why: { cursor?: Cursor; reason: string }): void {
  socket.emit("cut", why)
  socket.disconnect(true)
}

/** Waits until the client accepted what was written; false if it counts as stalled. */
export async function waitForDrain({ conn }: LiveSocket, clock: Clock): Promise<boolean> {
  const { transport } = conn
  if (transport.writable) return true
  const over = new AbortController()
  const drained = Promise.withResolvers<true>()
  const end = (): void => drained.resolve(true)
  // `ready` is emitted when the kernel has the bytes, so a client that does not read blocks here.
  // A client that upgrades from polling to a web socket never makes its old transport ready again.
  // Plain listeners: `once` with a signal makes an error for each that did not happen.
  transport.on("ready", end)
  conn.on("upgrade", end)
  conn.on("close", end)
  try {
    const stalled = clock.sleep(LIVE_STALLED_MS, over.signal).then(
      () => false,
      () => false,
    )
    return await Promise.race([drained.promise, stalled])
  } finally {
    over.abort()
    transport.off("ready", end)
    conn.off("upgrade", end)
    conn.off("close", end)
  }
}
