import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { describe, expect, test, vi } from "vitest"
import { openPage } from "#ground/base"
import { createApp } from "#show/app"
import { newServer, type ServerFixture } from "#test/server"
import { tempDirectory } from "#test/temp"
import { attack } from "../attack.ts"
import {
  CONSOLE_NOT_BUILT,
  checkConsoleBuilt,
  open,
  type ServeCall,
  token,
  up,
} from "./commands.ts"
import { readExposure } from "./expose.ts"
import { findRunning, forgetRunning, recordRunning } from "./running-server.ts"

const at = (port: number) => ({ port, url: `http://127.0.0.1:${port}` })

const LINK = /^ {0,2}http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}$/

/** The arguments of a command, and its output. */
function callFor(server: ServerFixture, changes: Partial<ServeCall> = {}) {
  const said: string[] = []
  const call: ServeCall = {
    app: server.app(),
    input: {},
    environment: {},
    isTerminal: false,
    signal: new AbortController().signal,
    say: (text) => said.push(text),
    ...changes,
  }
  return { call, said }
}

/** A folder of programs that record their arguments, in place of a desktop. */
async function desktop(programs: readonly string[]) {
  const folder = await tempDirectory()
  const notes = path.join(folder.path, "notes")
  for (const name of programs) {
    const file = path.join(folder.path, name)
    await writeFile(file, `#!/bin/sh\necho "${name} $*" >> "${notes}"\n`)
    await chmod(file, 0o755)
  }
  return Object.assign(folder, {
    environment: { PATH: `${folder.path}:/usr/bin:/bin`, DISPLAY: ":0" },
    opened: () => readFile(notes, "utf8").catch(() => ""),
  })
}

test("[HTTP-10] qm up serves until it is stopped, and removes its record", async () => {
  await using folder = await tempDirectory()
  const environment = { QM_HOME: path.join(folder.path, "home"), QM_PORT: "0" }
  const writeLog = () => {}
  await using app = await createApp({ directory: folder.path, environment, settings: [], writeLog })
  const stop = new AbortController()
  const said: string[] = []
  const served = Promise.withResolvers<void>()
  const say = (text: string) => {
    said.push(text)
    if (text.startsWith("The link signs")) served.resolve()
  }
  const { signal } = stop
  const ended = up({ app, input: {}, environment, isTerminal: false, signal, say })
  await served.promise
  expect(said[1]).toMatch(LINK)
  expect(said.includes(CONSOLE_NOT_BUILT)).toBe(!(await checkConsoleBuilt()))
  const { stateDirectory } = app.places.repository
  expect(await findRunning(stateDirectory)).toMatchObject({ pid: process.pid })
  stop.abort()
  expect([await ended, said.at(-1)]).toEqual([0, "Stopped."])
  expect(await findRunning(stateDirectory)).toBeUndefined()
})

describe("the running server and its record", () => {
  test("[HTTP-11] a second qm up prints a working link to the running server", async () => {
    await using server = await newServer()
    const { call, said } = callFor(server)
    expect(await up(call)).toBe(0)
    expect(said).toEqual([expect.stringContaining("Already running"), expect.stringMatching(LINK)])
    const body = JSON.stringify({ token: said[1]?.split("#t=")[1] })
    const asked = { method: "POST", path: "/api/session", body } as const
    expect((await server.ask({ ...asked, token: "none" })).status).toBe(204)
  })

  test("[HTTP-11] a server of another home folder is named, and is not reported as stopped", async () => {
    await using server = await newServer()
    await using folder = await tempDirectory()
    const { root } = server.app().places.repository
    const environment = { QM_HOME: path.join(folder.path, "home") }
    const writeLog = () => {}
    await using app = await createApp({ directory: root, environment, settings: [], writeLog })
    for (const command of [up, open]) {
      await expect(command(callFor(server, { app }).call)).rejects.toMatchObject({
        code: "HTTP_SERVER_OF_OTHER_HOME",
        message: expect.stringContaining(`${server.host} serves this repository`),
      })
    }
  })

  test("[HTTP-11] an invalid record, or one of an ended process, is ignored", async () => {
    await using folder = await tempDirectory()
    const file = path.join(folder.path, "server.json")
    const dead = { pid: 2 ** 22 + 1, startedAt: "1", port: 1 }
    const reused = { pid: process.pid, startedAt: "another start", port: 1 }
    for (const text of [
      "",
      "{",
      "[]",
      '{"pid":"x"}',
      JSON.stringify(dead),
      JSON.stringify(reused),
    ]) {
      await writeFile(file, text)
      expect(await findRunning(folder.path)).toBeUndefined()
    }
    await recordRunning(folder.path, at(7))
    expect(await findRunning(folder.path)).toMatchObject({ pid: process.pid, port: 7 })
    await forgetRunning(folder.path)
    expect(await findRunning(folder.path)).toBeUndefined()
  })

  test("[HTTP-11] a server removes only its own record", async () => {
    await using folder = await tempDirectory()
    const file = path.join(folder.path, "server.json")
    const text = JSON.stringify({ pid: process.ppid, port: 9 })
    await writeFile(file, text)
    await forgetRunning(folder.path)
    expect(await readFile(file, "utf8")).toBe(text)
  })

  test("[HTTP-11] qm open reports a server that does not respond as not running, with a hint", async () => {
    await using server = await newServer()
    const { stateDirectory } = server.app().places.repository
    await forgetRunning(stateDirectory)
    await recordRunning(stateDirectory, at(1))
    await expect(open(callFor(server).call)).rejects.toMatchObject({
      code: "HTTP_NOT_RUNNING",
      hint: "Run `qm up` to start one.",
    })
  })
})

describe("qm open and qm token", () => {
  test("[HTTP-3] qm open prints a new link and passes it to the browser", async () => {
    await using server = await newServer()
    await using screen = await desktop(["xdg-open"])
    const script = callFor(server)
    expect(await open(script.call)).toBe(0)
    const person = callFor(server, { isTerminal: true, environment: screen.environment })
    expect(await open(person.call)).toBe(0)
    // Opening does not wait for the browser.
    await vi.waitFor(async () => expect(await screen.opened()).toBe(`xdg-open ${person.said[0]}\n`))
    expect(script.said[0]).toMatch(LINK)
    expect(script.said[0]).not.toBe(person.said[0])
  })

  test("[HTTP-3] without a display, or with --no-open, no browser is started", async () => {
    await using server = await newServer()
    await using screen = await desktop(["xdg-open"])
    const { DISPLAY: _, ...blind } = screen.environment
    await openPage("http://127.0.0.1:1/", blind)
    const { environment } = screen
    await up(callFor(server, { isTerminal: true, environment, input: { open: false } }).call)
    expect(await screen.opened()).toBe("")
    await up(callFor(server, { isTerminal: true, environment }).call)
    await vi.waitFor(async () => expect(await screen.opened()).toMatch(/^xdg-open http:/))
  })

  test("[HTTP-3] --window starts Chromium as an app window; without Chromium it prints the link", async () => {
    await using server = await newServer()
    await using screen = await desktop(["google-chrome"])
    const { environment } = screen
    const shown = callFor(server, { input: { window: true }, environment })
    await open(shown.call)
    await vi.waitFor(async () =>
      expect(await screen.opened()).toBe(`google-chrome --app=${shown.said[0]}\n`),
    )
    const blind = callFor(server, { input: { window: true } })
    expect(await open(blind.call)).toBe(0)
    expect(blind.said[1]).toContain("Chromium was not found")
  })

  test("[HTTP-15] qm token --client prints the bearer token of one MCP client", async () => {
    await using server = await newServer()
    const ask = async (client: string) => {
      const { call, said } = callFor(server, { input: { client } })
      await token(call)
      return said[0] ?? ""
    }
    const headers = { authorization: `Bearer ${await ask("codex-laptop")}` }
    const initialize = { protocolVersion: "2025-11-25", capabilities: {} }
    const clientInfo = { name: "test", version: "1" }
    const params = { ...initialize, clientInfo }
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
    const accept = "application/json, text/event-stream"
    const sent = { method: "POST", path: "/mcp", headers: { ...headers, accept }, body }
    const opened = await server.ask(sent)
    expect([opened.status, opened.text]).toEqual([200, expect.stringContaining("quartermaster")])
    expect((await server.ask({ path: "/api/session", headers })).status).toBe(403)
    await expect(ask("Not A Name")).rejects.toMatchObject({ code: "HTTP_CLIENT_NAME_INVALID" })
  })

  test("[HTTP-4] qm token prints the bearer token for scripts", async () => {
    await using server = await newServer()
    const { call, said } = callFor(server)
    expect([await token(call), said]).toEqual([0, [await server.token()]])
  })
})

describe("qm doctor --attack", () => {
  test("[S1] a running server refuses every probe", async () => {
    await using server = await newServer()
    const checks = await attack(server.app().places)
    expect(checks.filter((it) => it.state !== "ok")).toEqual([])
    expect(checks.length).toBeGreaterThanOrEqual(11)
  })

  test("[S1] a server without a guard fails every probe", async () => {
    await using folder = await tempDirectory()
    const open = await listen(createServer((_, response) => response.end("welcome")))
    const stateDirectory = path.join(folder.path, "state")
    await mkdir(stateDirectory)
    await recordRunning(stateDirectory, at(open.port))
    const checks = await attack({ home: folder.path, repository: { stateDirectory } })
    open.server.close()
    expect(new Set(checks.map((it) => it.state))).toEqual(new Set(["fail"]))
    await forgetRunning(stateDirectory)
    await recordRunning(stateDirectory, at(1))
    const silent = await attack({ home: folder.path, repository: { stateDirectory } })
    expect(silent[0]).toMatchObject({ state: "fail", detail: "the server did not respond" })
  })

  test("[S1] without a server the doctor warns with a hint", async () => {
    await using folder = await tempDirectory()
    const places = { home: folder.path, repository: { stateDirectory: folder.path } }
    expect(await attack(places)).toMatchObject([{ state: "warn", name: "attack" }])
  })
})

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

describe("exposed addresses", () => {
  test.each(["127.0.0.1", "localhost", "::1", undefined])(
    "[HTTP-10] %s needs no further flag",
    async (it) => {
      expect(await readExposure({ host: it })).toBeUndefined()
    },
  )

  test.each([
    { host: "0.0.0.0" },
    { host: "::", exposeToTheNetwork: true },
    { host: "192.0.2.1", exposeToTheNetwork: true, tlsCert: "cert.pem" },
    { host: "0.0.0.0", tlsCert: "cert.pem", tlsKey: "key.pem" },
    { host: "127.0.0.2", exposeToTheNetwork: true, tlsKey: "key.pem" },
  ])("[HTTP-10] %j is refused", async (input) => {
    await expect(readExposure(input)).rejects.toMatchObject({ code: "HTTP_ADDRESS_DANGEROUS" })
  })

  test("[HTTP-10] a missing TLS file is named, and one that is not PEM is refused", async () => {
    await using folder = await tempDirectory()
    const [tlsCert, tlsKey] = [path.join(folder.path, "c.pem"), path.join(folder.path, "k.pem")]
    await writeFile(tlsCert, "cert")
    const input = { host: "192.0.2.1", exposeToTheNetwork: true, tlsCert, tlsKey }
    await expect(readExposure(input)).rejects.toMatchObject({
      code: "HTTP_TLS_FILE_UNUSABLE",
      message: expect.stringContaining(tlsKey),
    })
    await writeFile(tlsKey, "key")
    await expect(readExposure(input)).rejects.toMatchObject({
      code: "HTTP_TLS_FILE_UNUSABLE",
      message: expect.stringContaining("not PEM"),
    })
  })
})

test("[HTTP-10] a console without its page is not built", async () => {
  await using folder = await tempDirectory()
  expect(await checkConsoleBuilt(folder.path)).toBe(false)
  await writeFile(path.join(folder.path, "index.html"), "<!doctype html>")
  expect(await checkConsoleBuilt(folder.path)).toBe(true)
})
