import type { Server } from "node:http"
import { type AddressInfo, createServer, type Server as NetServer } from "node:net"
import { PortTaken } from "./errors.ts"

/**
 * Listen on 127.0.0.1, and hand what comes to ::1 to the same server where the machine has it.
 * The names the guard accepts are filled in here, since they include the port.
 */
export async function listenOnLoopback(options: {
  server: Server
  hosts: Set<string>
  port: number
}): Promise<{ port: number; close(): Promise<void> }> {
  const { server, hosts } = options
  await listen(server, "127.0.0.1", options.port)
  const { port } = addressOf(server)
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) hosts.add(`${name}:${port}`)

  const second = createServer((socket) => server.emit("connection", socket))
  // Without ::1, or with somebody else on it, 127.0.0.1 is enough: every link names that.
  const isSecond = await listen(second, "::1", port).then(
    () => true,
    () => false,
  )
  return {
    port,
    async close() {
      if (isSecond) second.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function listen(server: NetServer, host: string, port: number): Promise<void> {
  const heard = Promise.withResolvers<void>()
  server.once("error", heard.reject)
  server.listen({ host, port, exclusive: true, ipv6Only: true }, heard.resolve)
  try {
    await heard.promise
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE"
    throw isTaken ? PortTaken({ port, host }, error) : error
  } finally {
    server.off("error", heard.reject)
  }
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === "string") {
    throw new Error("invariant broken: a server that listens on a port has an address")
  }
  return address
}
