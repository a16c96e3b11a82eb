import { readFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, connect, createServer } from "node:net"
import { describe, expect, test } from "vitest"
import { needs } from "#test/needs"
import { LIVE_URL, neverReads, newServer, send, UPGRADE_HEADERS } from "#test/server"
import { listenOnAddress } from "./listen.ts"
import { findRunning } from "./running-server.ts"
import { serve } from "./serve.ts"

describe.runIf(needs("S10", "proc"))("sockets", () => {
  test("[S10] the kernel's table shows listeners on loopback only", async () => {
    await using server = await newServer()
    const addresses = listening(server.port)
    expect(addresses).toContain("0100007F")
    const loopback = ["0100007F", `${"0".repeat(24)}01000000`]
    expect(addresses.filter((it) => !loopback.includes(it))).toEqual([])
  })

  test("[S10] the kernel's table shows a listener on all addresses", async () => {
    const open = createServer()
    await new Promise<void>((resolve) => open.listen(0, "0.0.0.0", resolve))
    expect(listening((open.address() as AddressInfo).port)).toEqual(["00000000"])
    open.close()
  })
})

/** Local addresses that listen on a port, in the kernel's hexadecimal form. */
function listening(port: number): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0")
  const LISTEN = "0A"
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) =>
    readFileSync(table, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${wanted}`) && state === LISTEN)
      .map(([, local = ""]) => local.split(":")[0] ?? ""),
  )
}

describe("ports", () => {
  async function stranger() {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    return { port, [Symbol.dispose]: () => void server.close() }
  }

  test("[HTTP-10] a requested port in use is an error that names it", async () => {
    await using other = await newServer()
    using taken = await stranger()
    const { port } = taken
    await expect(serve({ app: other.app(), port, mayMove: false })).rejects.toMatchObject({
      code: "HTTP_PORT_TAKEN",
      data: { port, host: "127.0.0.1" },
    })
  })

  test("[HTTP-10] the default port may move to the next free one", async () => {
    await using other = await newServer()
    using taken = await stranger()
    await other.serving().close()
    const moved = await serve({ app: other.app(), port: taken.port, mayMove: true })
    expect(moved.port).toBeGreaterThan(taken.port)
    await moved.close()
  })

  test("[HTTP-10] an invalid port and a second server of the repository are refused", async () => {
    await using other = await newServer()
    const { port } = other
    for (const wrong of [70_000, -1, 1.5]) {
      await expect(serve({ app: other.app(), port: wrong, mayMove: true })).rejects.toMatchObject({
        code: "HTTP_PORT_INVALID",
      })
    }
    await expect(serve({ app: other.app(), port: 0, mayMove: true })).rejects.toMatchObject({
      code: "HTTP_ALREADY_RUNNING",
    })
    const { stateDirectory } = other.app().places.repository
    expect(await findRunning(stateDirectory)).toMatchObject({ port })
  })

  test("[HTTP-10] an address that this machine does not have is an error with a code", async () => {
    const place = {
      server: createHttpServer(),
      hosts: new Set<string>(),
      host: "192.0.2.1",
      port: 0,
    }
    await expect(listenOnAddress(place)).rejects.toMatchObject({ code: "HTTP_LISTEN_FAILED" })
  })

  test("[HTTP-10] the server also listens on ::1 where the machine has it", async () => {
    await using server = await newServer()
    const status = await new Promise<string>((resolve) => {
      const socket = connect(server.port, "::1")
      socket.on("error", (it: NodeJS.ErrnoException) => resolve(it.code ?? ""))
      socket.on("data", (it: Buffer) => resolve(it.toString().split("\r\n")[0] ?? ""))
      socket.write(
        `GET /healthz HTTP/1.1\r\nHost: [::1]:${server.port}\r\nConnection: close\r\n\r\n`,
      )
    })
    expect(["HTTP/1.1 200 OK", "ECONNREFUSED", "EADDRNOTAVAIL"]).toContain(status)
  })
})

describe("closing", () => {
  test("[HTTP-10] closing ends idle and stalled connections, and frees the port", async () => {
    const server = await newServer()
    const token = await server.token()
    const idle = connect(server.port, "127.0.0.1")
    idle.on("error", () => {})
    const stalled = await neverReads(server.port, { token, after: null })
    await server[Symbol.asyncDispose]()
    await expect(send(server.port, { path: "/healthz" })).rejects.toMatchObject({
      code: "ECONNREFUSED",
    })
    idle.destroy()
    stalled.destroy()
  })

  test("[HTTP-1] a reset of a refused socket does not end the server", async () => {
    await using server = await newServer()
    const headers = Object.entries({ host: server.host, ...UPGRADE_HEADERS })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
    for (let n = 0; n < 20; n++) {
      const socket = connect(server.port, "127.0.0.1")
      socket.on("error", () => {})
      await new Promise((resolve) =>
        socket.write(`GET ${LIVE_URL} HTTP/1.1\r\n${headers}\r\n`, resolve),
      )
      socket.resetAndDestroy()
    }
    expect((await server.ask({ path: "/healthz" })).status).toBe(200)
  })
})
