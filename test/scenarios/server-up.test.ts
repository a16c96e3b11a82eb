import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import path from "node:path"
import { createInterface } from "node:readline"
import { describe, expect, test } from "vitest"
import { LAUNCHER, newUser } from "#test/qm"
import { send } from "#test/server"

const LINK = /^ {2}(http:\/\/127\.0\.0\.1:(\d+))\/#t=([\w-]{43})$/

type User = Awaited<ReturnType<typeof newUser>>

/**
 * `qm up` as a user starts it; stopped at the end of the test at the latest.
 */
async function qmUp(user: User, args: readonly string[] = [], env: Record<string, string> = {}) {
  const started: ChildProcess = spawn(LAUNCHER, ["up", ...args], {
    cwd: user.project,
    env: { PATH: process.env["PATH"] ?? "", HOME: user.home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = new Promise<number | null>((resolve) => started.on("close", resolve))
  const said: string[] = []
  const isUp = new Promise<void>((resolve) => {
    createInterface({ input: started.stdout! }).on("line", (line) => {
      said.push(line)
      if (line.startsWith("The link signs")) resolve()
    })
  })
  await Promise.race([isUp, ended])
  const link = said.map((it) => LINK.exec(it)).find((it) => it !== null)
  return {
    said,
    ended,
    port: Number(link?.[2]),
    token: link?.[3] ?? "",
    kill: (signal: NodeJS.Signals) => void started.kill(signal),
    async [Symbol.asyncDispose]() {
      started.kill("SIGKILL")
      await ended
    },
  }
}

const recordOf = (user: User) => path.join(path.dirname(user.database), "server.json")
const anyPort = { QM_PORT: "0" }

async function stranger(port = 0) {
  const server = createServer((socket) => socket.destroy())
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => void server.close(),
  }
}

describe("qm up", () => {
  test("[HTTP-3] qm up prints one login link, serves, and ends cleanly on SIGTERM", async () => {
    await using user = await newUser()
    await using up = await qmUp(user, [], anyPort)
    expect(up.said.filter((it) => it.includes("http://"))).toHaveLength(1)
    const body = JSON.stringify({ token: up.token })
    const signedIn = await send(up.port, { method: "POST", path: "/api/session", body })
    expect(signedIn.status).toBe(204)
    const record = JSON.parse(await readFile(recordOf(user), "utf8"))
    expect(record.port).toBe(up.port)
    up.kill("SIGTERM")
    expect([await up.ended, up.said.at(-1)]).toEqual([0, "Stopped."])
    expect(await readdir(path.dirname(user.database))).not.toContain("server.json")
  })

  test("[HTTP-11] a second qm up finds the first; open and token work beside it", async () => {
    await using user = await newUser()
    await using up = await qmUp(user, [], anyPort)
    const again = await user.qm(["up"])
    expect([again.code, again.stdout.split("\n")[0]]).toEqual([
      0,
      `Already running for ${user.project}`,
    ])
    expect(again.stdout).toContain(`http://127.0.0.1:${up.port}/#t=`)
    expect((await user.qm(["open"])).stdout).toContain(`http://127.0.0.1:${up.port}/#t=`)
    const { stdout } = await user.qm(["token"])
    const headers = { authorization: `Bearer ${stdout.trim()}` }
    expect((await send(up.port, { path: "/api/session", headers })).status).toBe(200)
  })

  test("[S1] doctor --attack finds every endpoint protected", async () => {
    await using user = await newUser()
    await using up = await qmUp(user, [], anyPort)
    const { code, stdout } = await user.qm(["doctor", "--attack", "--json"])
    const checks: { area: string; state: string }[] = JSON.parse(stdout).checks
    const doors = checks.filter((it) => it.area === "server")
    expect([code, up.port > 0, doors.length >= 11]).toEqual([0, true, true])
    expect(new Set(doors.map((it) => it.state))).toEqual(new Set(["ok"]))
  })

  test("[HTTP-11] after kill -9 the next qm up starts normally", async () => {
    await using user = await newUser()
    await using first = await qmUp(user, [], anyPort)
    first.kill("SIGKILL")
    await first.ended
    await using second = await qmUp(user, [], anyPort)
    expect(second.said[0]).toBe(`Quartermaster for ${user.project}`)
    expect((await send(second.port, { path: "/healthz" })).status).toBe(200)
  })

  test("[HTTP-10] a requested port that another program uses ends with a code and a hint", async () => {
    await using user = await newUser()
    using taken = await stranger()
    for (const [args, env] of [
      [["up", "--port", String(taken.port)], {}],
      [["up"], { QM_PORT: String(taken.port) }],
    ] as const) {
      const { code, stderr } = await user.qm(args, { env })
      expect([code, stderr]).toEqual([1, expect.stringContaining("HTTP_PORT_TAKEN")])
      expect(stderr).toContain(`Port ${taken.port} of 127.0.0.1 is in use`)
    }
  })

  test("[HTTP-10] with the default port in use, the next free one is used and printed", async () => {
    await using user = await newUser()
    // Any program on port 4242 will do: the test's, or one that already uses it.
    using taken = await stranger(4242).catch(() => ({ port: 4242, [Symbol.dispose]() {} }))
    await using up = await qmUp(user)
    expect(up.said[0]).toBe(`Port ${taken.port} is in use; using ${up.port}.`)
    expect(up.port).toBeGreaterThan(4242)
  })

  test("[HTTP-11] open without a server prints how to start one", async () => {
    await using user = await newUser()
    const { code, stderr } = await user.qm(["open"])
    expect([code, stderr]).toEqual([1, expect.stringContaining("HTTP_NOT_RUNNING")])
    expect(stderr).toContain("qm up")
  })
})
