import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import { GatewayShow } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { runCli } from "./cli.ts"

const DOORS = {
  up: async () => 0,
  open: async () => 0,
  token: async () => 0,
  mcp: async () => 0,
  acp: async () => 0,
  hook: async () => 0,
  statusline: async () => 0,
  keep: async () => 0,
  attack: async () => [],
}

/** A user with a project, and a provider that records its requests. */
async function person() {
  const temp = await tempDirectory()
  const project = path.join(temp.path, "project")
  await mkdir(path.join(project, ".claude"), { recursive: true })
  const heard: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push(body)
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ usage: { input_tokens: 3, output_tokens: 4 } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  async function type(...argv: string[]) {
    const seen = { stdout: "", stderr: "" }
    const sink = (name: "stdout" | "stderr") => ({
      write: (words: string) => void (seen[name] += words),
      isTerminal: false,
      columns: 80,
    })
    const code = await runCli({
      argv,
      environment: {
        HOME: temp.path,
        PATH: process.env["PATH"],
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
      },
      directory: project,
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      signal: new AbortController().signal,
      entryPoints: DOORS,
    })
    return { code, ...seen }
  }
  return {
    project,
    heard,
    type,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await temp[Symbol.asyncDispose]()
    },
  }
}

const HOST = `
const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages"
const body = JSON.stringify({ model: "claude-opus-5-5", messages: [{ role: "user", content: "hello" }] })
fetch(url, { method: "POST", headers: { "x-api-key": "k" }, body }).then((it) => process.exit(it.status - 180))
`

/** Sends requests on connections of their own and exits without waiting for an answer. */
const HASTY_HOST = `
const { connect } = require("node:net")
const url = new URL(process.env.ANTHROPIC_BASE_URL + "/v1/messages")
const body = JSON.stringify({ model: "claude-opus-5-5", messages: [{ role: "user", content: "hello" }] })
const text = "POST " + url.pathname + " HTTP/1.1\\r\\nhost: " + url.host +
  "\\r\\ncontent-type: application/json\\r\\ncontent-length: " + body.length + "\\r\\n\\r\\n" + body
let left = 5
for (let n = 0; n < 5; n++) {
  const socket = connect(Number(url.port), url.hostname, () =>
    socket.write(text, () => { left -= 1; if (left === 0) process.exit(0) }))
}
`

describe("qm gateway run", () => {
  test("[GATE-133] with autoFold on in record mode it says before the program starts that nothing is masked", async () => {
    await using it = await person()
    const program = [process.execPath, "-e", 'process.stderr.write("started\\n")']
    const args = ["gateway", "run", "--wire", "anthropic", "--auto-fold", "on", "--", ...program]
    const { code, stderr } = await it.type(...args)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^gateway\.autoFold is on, but record mode changes no request\./)
    expect(stderr.match(/record mode/g)).toHaveLength(1)
  })

  test("[H8][CLI-28] requests of a program that exits at once are recorded", async () => {
    await using it = await person()
    for (let round = 0; round < 3; round++) {
      const args = [
        "gateway",
        "run",
        "--wire",
        "anthropic",
        "--",
        process.execPath,
        "-e",
        HASTY_HOST,
      ]
      expect(await it.type(...args)).toEqual({ code: 0, stdout: "", stderr: "" })
      const shown = await it.type("gateway", "show", "last", "--json")
      expect(GatewayShow.parse(JSON.parse(shown.stdout)).requests).toHaveLength(5)
    }
  })

  test("[CLI-28] qm gateway run exits with the host's exit code, and records its requests", async () => {
    await using it = await person()
    const args = ["gateway", "run", "--wire", "anthropic", "--", process.execPath, "-e", HOST]
    const ran = await it.type(...args)
    expect(ran).toEqual({ code: 20, stdout: "", stderr: "" })
    expect(it.heard).toHaveLength(1)
    const shown = await it.type("gateway", "show", "last", "--json")
    const { requests, totals } = GatewayShow.parse(JSON.parse(shown.stdout))
    expect(requests.map((one) => one.usage)).toEqual([
      { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 },
    ])
    expect(totals.requests).toBe(1)
    const listed = await it.type("gateway")
    expect(listed.stdout).toContain("1 request")
    expect((await it.type("gateway", "request", "last", "1")).stdout).toContain("user")
  })

  test("[CLI-28] an unknown or missing program is an error with a hint", async () => {
    await using it = await person()
    const unknown = await it.type("gateway", "run", "--", "no-such-host")
    expect(unknown.code).not.toBe(0)
    expect(unknown.stderr).toContain("GATEWAY_HOST_UNKNOWN")
    const missing = await it.type("gateway", "run", "--wire", "openai", "--", "no-such-host")
    expect(missing.stderr).toContain("CLI_COMMAND_NOT_STARTED")
    expect(missing.stderr).toContain("it is not on the PATH")
  })

  test("[CLI-28] --at takes a share of the window, and anything else is an error with a hint", async () => {
    await using it = await person()
    const host = ["--wire", "anthropic", "--", process.execPath, "-e", "process.exit(7)"]
    for (const at of ["sixty", "101%", "-1", "60.5"]) {
      const refused = await it.type("gateway", "run", `--at=${at}`, ...host)
      expect(refused.code).not.toBe(0)
      expect(refused.stderr).toContain("CLI_INVALID_PERCENT")
      expect(refused.stderr).toContain(at)
    }
    for (const at of ["60%", "100", "0"]) {
      expect((await it.type("gateway", "run", `--at=${at}`, ...host)).code).toBe(7)
    }
  })

  test("[CLI-28] a repository whose settings redirect requests is refused, and the file is named", async () => {
    await using it = await person()
    const settings = { env: { ANTHROPIC_BASE_URL: "https://models.example" } }
    await writeFile(path.join(it.project, ".claude", "settings.json"), JSON.stringify(settings))
    const refused = await it.type("gateway", "run", "--", "claude", "-p", "hello")
    expect(refused.stderr).toContain("GATEWAY_BYPASSED")
    expect(refused.stderr).toContain(".claude/settings.json")
  })
})
