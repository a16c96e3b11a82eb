import { chmod, mkdir, stat, writeFile } from "node:fs/promises"
import { createConnection, createServer, type Socket } from "node:net"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { askSocket } from "./socket.ts"
import { type ListenOutcome, listenOnSocket, type SocketService } from "./socket-server.ts"

const LIMITS = { timeoutMs: 5_000, maxBytes: 10_000 }

async function ownPlace() {
  const temp = await tempDirectory()
  await mkdir(path.join(temp.path, "run"), { mode: 0o700 })
  const place = path.join(temp.path, "run", "a.sock")
  const ask = (line: string, limits: Partial<typeof LIMITS> = {}) =>
    askSocket({ path: place, line, ...LIMITS, ...limits })
  const listen = (changes: Partial<SocketService> = {}) =>
    listenOnSocket({
      path: place,
      maxBytes: 1_000,
      patienceMs: 1_000,
      maxConnections: 16,
      answer: async (line) => `heard ${line}`,
      ...changes,
    })
  return Object.assign(temp, { folder: path.dirname(place), place, ask, listen })
}

function serverOf(outcome: ListenOutcome) {
  if (outcome.kind !== "listening") throw new Error(outcome.kind)
  return outcome.server
}

describe("askSocket", () => {
  test("[BASE-27] one line of any characters is sent and one is returned", async () => {
    await using at = await ownPlace()
    const server = serverOf(await at.listen())
    expect(await at.ask("größe 😀")).toBe("heard größe 😀")
    expect(await at.ask("")).toBe("heard ")
    await server.close()
    expect(await at.ask("late")).toBeUndefined()
  })

  test("[BASE-27] nothing is sent to a socket that other users can reach or to a path that is not a socket", async () => {
    await using at = await ownPlace()
    expect(await at.ask("nobody")).toBeUndefined()
    const heard: string[] = []
    const answer = async (line: string) => (heard.push(line), "yes")
    const server = serverOf(await at.listen({ answer }))
    await chmod(at.folder, 0o770)
    expect(await at.ask("a secret")).toBeUndefined()
    await chmod(at.folder, 0o700)
    expect(await at.ask("mine")).toBe("yes")
    expect(heard).toEqual(["mine"])
    await server.close()
    await writeFile(at.place, "a file")
    expect(await at.ask("a file")).toBeUndefined()
  })

  test("[BASE-27] no response, a long response, a closed connection and an abort return undefined", async () => {
    await using at = await ownPlace()
    const answer = async (line: string) => {
      if (line === "large") return "x".repeat(20_000)
      if (line === "throws") throw new Error("no")
      return new Promise<string>(() => {})
    }
    const server = serverOf(await at.listen({ answer }))
    expect(await at.ask("silence", { timeoutMs: 30 })).toBeUndefined()
    expect(await at.ask("large")).toBeUndefined()
    expect(await at.ask("throws")).toBeUndefined()
    const given = { path: at.place, line: "silence", ...LIMITS }
    const control = new AbortController()
    const asked = askSocket({ ...given, signal: control.signal })
    control.abort()
    expect(await asked).toBeUndefined()
    expect(await askSocket({ ...given, signal: AbortSignal.abort() })).toBeUndefined()
    await server.close()
  })
})

describe("listening on a socket", () => {
  test("[BASE-28] the first process owns the private socket until it closes", async () => {
    await using at = await ownPlace()
    const first = serverOf(await at.listen())
    expect((await stat(at.place)).mode & 0o777).toBe(0o600)
    expect(await at.listen()).toEqual({ kind: "taken" })
    expect(await first.isOurs()).toBe(true)
    await first.close()
    const second = serverOf(await at.listen({ answer: async () => "second" }))
    expect(await at.ask("who")).toBe("second")
    await second.close()
  })

  test("[BASE-28] one of several processes takes over a dead socket", async () => {
    await using at = await ownPlace()
    await leaveDead(at.place)
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => at.listen()))
    const listening = outcomes.filter((it) => it.kind === "listening")
    expect(listening).toHaveLength(1)
    expect(outcomes.filter((it) => it.kind === "taken")).toHaveLength(11)
    expect(await at.ask("there")).toBe("heard there")
    await Promise.all(listening.map((it) => it.server.close()))
  })

  test("[BASE-28] a process that lost its socket notices and does not remove the new owner's", async () => {
    await using at = await ownPlace()
    const first = serverOf(await at.listen())
    await leaveDead(at.place)
    expect(await first.isOurs()).toBe(false)
    const second = serverOf(await at.listen({ answer: async () => "second" }))
    await first.close()
    expect(await at.ask("who")).toBe("second")
    await second.close()
  })

  test("[BASE-28] a file that is not a socket is not replaced, and a stale lock does not block", async () => {
    await using at = await ownPlace()
    await writeFile(at.place, "mine")
    expect(await at.listen()).toEqual({
      kind: "refused",
      reason: "the path exists and is not a socket",
    })
    expect((await stat(at.place)).size).toBe(4)
    const other = `${at.place}2`
    await writeFile(`${other}.lock`, "")
    const { utimes } = await import("node:fs/promises")
    await utimes(`${other}.lock`, 1, 1)
    await serverOf(await at.listen({ path: other })).close()
  })

  test("[BASE-28] endless, slow and too long requests are disconnected", async () => {
    await using at = await ownPlace()
    let asked = 0
    const answer = async () => String(++asked)
    const server = serverOf(await at.listen({ answer, patienceMs: 50, maxBytes: 100 }))
    const slow = createConnection(at.place)
    slow.write("begun and never")
    await closed(slow)
    const long = createConnection(at.place)
    long.write("x".repeat(101))
    await closed(long)
    expect(asked).toBe(0)
    expect(await at.ask("fine")).toBe("1")
    await server.close()
  })

  test("[BASE-28] a client that stays connected after its response makes room for the next", async () => {
    await using at = await ownPlace()
    const server = serverOf(await at.listen({ patienceMs: 50, maxConnections: 1 }))
    const stays = createConnection({ path: at.place, allowHalfOpen: true })
    stays.write("who hears and stays\n")
    await new Promise((resolve) => void stays.once("data", resolve))
    await expect.poll(() => at.ask("next")).toBe("heard next")
    stays.destroy()
    await server.close()
  })

  test("[BASE-28] a thousand silent connections do not block other clients for long", async () => {
    await using at = await ownPlace()
    const server = serverOf(await at.listen({ patienceMs: 100 }))
    const crowd = Array.from({ length: 1_000 }, () => createConnection(at.place))
    await Promise.all(crowd.map(closed))
    expect(await at.ask("after")).toBe("heard after")
    await server.close()
  })
})

async function leaveDead(place: string): Promise<void> {
  const { rename, rm } = await import("node:fs/promises")
  await rm(place, { force: true })
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(`${place}.dead`, resolve))
  // Closing would remove the socket under its original name.
  await rename(`${place}.dead`, place)
  await new Promise<void>((resolve) => void server.close(() => resolve()))
}

function closed(socket: Socket): Promise<void> {
  socket.on("error", () => {})
  return new Promise((resolve) => void socket.on("close", () => resolve()))
}
