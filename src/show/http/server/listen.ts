import type { Server } from "node:http"
import { type AddressInfo, createServer, type Server as NetServer } from "node:net"
import { ListenFailed, PortTaken } from "../errors.ts"

const HTTPS_PORT = 443

type ListenAddress = { server: Server; hosts: Set<string>; host: string; port: number }
type Listener = { port: number; close(): Promise<void> }

/** For an address that other machines may reach; only its own name is accepted. */
export async function listenOnAddress({
  server,
  hosts,
  host,
  port,
}: ListenAddress): Promise<Listener> {
  await listen(server, host, port)
  const { port: actual } = addressOf(server)
  const name = host.includes(":") ? `[${host}]` : host
  hosts.add(`${name}:${actual}`)
  // Browsers omit the default port of the scheme.
  if (actual === HTTPS_PORT) hosts.add(name)
  return { port: actual, close: () => closeServer(server) }
}

/**
 * Listens on 127.0.0.1, and passes connections to ::1 to the same server where the machine has it.
 * Adds the Host names that the guard accepts, since they include the port.
 */
export async function listenOnLoopback({ server, hosts, ...at }: ListenAddress): Promise<Listener> {
  await listen(server, "127.0.0.1", at.port)
  const { port } = addressOf(server)
  for (const name of ["127.0.0.1", "localhost", "[::1]"]) hosts.add(`${name}:${port}`)

  const second = createServer((socket) => server.emit("connection", socket))
  // 127.0.0.1 is enough if ::1 is missing or in use: every link names it.
  const isSecond = await listen(second, "::1", port).then(
    () => true,
    () => false,
  )
  return {
    port,
    async close() {
      if (isSecond) second.close()
      await closeServer(server)
    },
  }
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}

async function listen(server: NetServer, host: string, port: number): Promise<void> {
  const listened = Promise.withResolvers<void>()
  server.once("error", listened.reject)
  server.listen({ host, port, exclusive: true, ipv6Only: true }, listened.resolve)
  try {
    await listened.promise
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : undefined
    if (reason === "EADDRINUSE") throw PortTaken({ port, host }, error)
    throw reason === undefined ? error : ListenFailed({ port, host, reason }, error)
  } finally {
    server.off("error", listened.reject)
  }
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === "string") {
    throw new Error("invariant broken: a server that listens on a port has an address")
  }
  return address
}
