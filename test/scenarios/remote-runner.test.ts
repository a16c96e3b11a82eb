import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import type { AgentsMessages, RemoteMessage, RemoteRun, SharedItem } from "#ground/contract"
import { childFile } from "#test/child"
import { git } from "#test/git"
import { BUILT_PACKAGE, runQm } from "#test/qm"
import { startNode, type TeamNode } from "#test/team"
import { tempDirectory } from "#test/temp"
import { claudeFile, claudePrompt, sessionIdOf, writeLines } from "#test/transcripts"

const ROOT = path.join(import.meta.dirname, "../..")
const LAUNCHER = path.join(BUILT_PACKAGE ?? ROOT, "bin/qm.mjs")
const AGENT = childFile(new URL("../conformance/agents-acp.child.ts", import.meta.url))
const PAUSE_MS = 100
const TIMEOUT = { timeout: 600_000 }
const PRIVATE = "only for this machine"

async function until<Value>(what: string, ask: () => Promise<Value | undefined>): Promise<Value> {
  for (const end = Date.now() + 120_000; ; ) {
    const value = await ask()
    if (value !== undefined) return value
    if (Date.now() > end) throw new Error(`not within two minutes: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** A server in one home and repository, and a machine of ada with another home and repository. */
async function scene() {
  const temp = await tempDirectory()
  const server = await startNode({ name: "server", folder: temp.path, databaseUrl: "" })
  const home = path.join(temp.path, "home-ada")
  const shop = path.join(temp.path, "shop")
  await mkdir(path.join(home, ".claude"), { recursive: true })
  await mkdir(shop)
  git(shop, "init", "--quiet")
  await writeFile(path.join(home, ".claude", "CLAUDE.md"), `${PRIVATE}\n`)
  const env = {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"] ?? ""}`,
    HOME: home,
    QM_KEYCHAIN: "off",
    QM_AGENTS_ACP: `node ${AGENT}`,
  }
  const runners = new Set<ReturnType<typeof startRunner>>()
  function startRunner(args: readonly string[], stdin: string) {
    const child = spawn(process.execPath, [LAUNCHER, "connect", ...args], { cwd: shop, env })
    const exited = once(child, "exit")
    let output = ""
    for (const from of [child.stdout, child.stderr])
      from.setEncoding("utf8").on("data", (text: string) => {
        output += text
      })
    child.stdin.end(stdin)
    const said = (text: string | RegExp) =>
      until(`${text} in ${output}`, async () => output.match(text) ?? undefined)
    const kill = async () => {
      child.kill("SIGKILL")
      await exited
    }
    return { said, kill, exited, output: () => output }
  }
  const serverHome = path.join(temp.path, "home-server")
  return {
    temp,
    server,
    home,
    shop,
    runner(args: readonly string[], stdin = "") {
      const runner = startRunner(args, stdin)
      runners.add(runner)
      return runner
    },
    machine: (...args: readonly string[]) => runQm(args, { cwd: shop, env }),
    async people(...args: readonly string[]): Promise<Record<string, string>> {
      const options = {
        cwd: path.join(temp.path, "project"),
        env: { PATH: env.PATH, HOME: serverHome, QM_HOME: serverHome },
      }
      const { stdout, stderr } = await runQm(["people", ...args, "--json"], options)
      if (stdout === "") throw new Error(stderr)
      return JSON.parse(stdout)
    },
    async [Symbol.asyncDispose]() {
      for (const it of runners) await it.kill()
      await server.kill()
      await temp[Symbol.asyncDispose]()
    },
  }
}

const ask = async <Value>(server: TeamNode, route: string, body?: object) => {
  const method = body === undefined ? "GET" : "POST"
  const { status, json } = await server.ask(method, `/api/remote/${route}`, body)
  return { status, json: json as Value }
}

async function findRunner(server: TeamNode): Promise<string> {
  return until("a runner", async () => {
    const { json } = await ask<{ runners: { id: string; isConnected: boolean }[] }>(server, "list")
    return json.runners.find((it) => it.isConnected)?.id
  })
}

async function request(server: TeamNode, type: string, prompt: string): Promise<RemoteRun> {
  const runner = await findRunner(server)
  const body = { runner, repository: "shop", type, prompt }
  const { json, status } = await ask<RemoteRun>(server, "start", body)
  expect([status, json]).toMatchObject([200, { state: "waiting" }])
  return json
}

const ended = (server: TeamNode, id: string) =>
  until(`the end of ${id}`, async () => {
    const { json } = await ask<{ runs: RemoteRun[] }>(server, "runs")
    return json.runs.find((it) => it.id === id && !["waiting", "running"].includes(it.state))
  })

async function messagesOf(server: TeamNode, id: string): Promise<readonly RemoteMessage[]> {
  return (await ask<{ messages: RemoteMessage[] }>(server, `messages?id=${id}`)).json.messages
}

type Scene = Awaited<ReturnType<typeof scene>>

async function localRuns({
  machine,
}: Scene): Promise<readonly { id: string; startedBy: string }[]> {
  return JSON.parse((await machine("runs", "--json")).stdout).runs
}

/** The server has the messages of the machine, each once, in order. */
async function expectSame(it: Scene, run: RemoteRun): Promise<readonly RemoteMessage[]> {
  const runs = (await localRuns(it)).filter((one) => one.startedBy.endsWith(`(${run.id})`))
  expect(runs).toHaveLength(1)
  const { stdout } = await it.machine("runs", "messages", runs[0]?.id ?? "", "--json")
  const { messages } = JSON.parse(stdout) as AgentsMessages
  const there = await messagesOf(it.server, run.id)
  expect(there.length).toBeGreaterThan(0)
  const expected = messages.map(({ seq, type, content }) => ({
    seq,
    kind: type,
    text: type === "context" ? "" : content,
  }))
  expect(there.map(({ seq, kind, text }) => ({ seq, kind, text }))).toEqual(expected)
  return there
}

test(
  "[REMOTE-4] [REMOTE-8] [REMOTE-10] a run starts on a connected machine once, also if its runner is killed",
  TIMEOUT,
  async () => {
    await using it = await scene()
    const { server } = it
    await it.people("invite", "ada", "--role", "operator")
    const { token = "" } = await it.people("token", "new", "ada")
    const allow = ["--allow", "synthetic", "--allow", "acp"]
    const first = it.runner([server.url, "--token-stdin", ...allow], `${token}\n`)
    await first.said("Connected as")

    const echo = await request(server, "synthetic", "Paint it")
    expect(await ended(server, echo.id)).toMatchObject({ state: "done" })
    const echoed = await expectSame(it, echo)
    expect(echoed.some((one) => one.text === "You said: Paint it")).toBe(true)
    // The context message of the machine has the user's own instructions.
    const [local] = await localRuns(it)
    const shown = (await it.machine("runs", "messages", local?.id ?? "", "--json")).stdout
    expect(shown).toContain(PRIVATE)
    expect(JSON.stringify(echoed)).not.toContain(PRIVATE)

    const denied = await request(server, "codex", "Paint it black")
    const { state, note } = await ended(server, denied.id)
    expect([state, note]).toEqual(["denied", expect.stringContaining("no --allow codex")])

    const outside = path.join(it.temp.path, "outside.txt")
    await writeFile(outside, PRIVATE)
    const thief = await request(server, "acp", `please steal ${outside}`)
    expect(await ended(server, thief.id)).toMatchObject({ state: "done", note: "" })
    const stolen = JSON.stringify(await expectSame(it, thief))
    expect(stolen).toContain("refused")
    expect(stolen).not.toContain(PRIVATE)
    expect(await readFile(outside, "utf8")).toBe(PRIVATE)
    const runner = await findRunner(server)
    const elsewhere = { runner, repository: "../home-ada", type: "synthetic", prompt: "Paint" }
    expect((await ask(server, "start", elsewhere)).status).toBe(400)
    const folder = { runner, repository: "shop", type: "synthetic", prompt: "Paint", cwd: "/" }
    expect((await ask(server, "start", folder)).status).toBe(400)

    // The agent waits for an approval of the machine when its runner dies.
    const edit = await request(server, "acp", "please edit")
    await first.said("waits for an approval")
    await until("messages at the server", async () =>
      (await messagesOf(server, edit.id)).length > 0 ? true : undefined,
    )
    await first.kill()
    // The token is stored, encrypted.
    const second = it.runner(allow)
    expect(await ended(server, edit.id)).toMatchObject({
      state: "failed",
      note: "the runner ended while the agent worked",
    })
    await expectSame(it, edit)

    // Killed at once after the start: the agent may have ended or not.
    const long = await request(server, "synthetic", "word ".repeat(200).trim())
    await second.said(/Started (run_\w+)(?![\s\S]*Started)/)
    await second.kill()
    const third = it.runner(allow)
    expect(["done", "failed"]).toContain((await ended(server, long.id)).state)
    await expectSame(it, long)
    expect(await localRuns(it)).toHaveLength(4)

    await it.people("revoke", "ada")
    const [code] = await third.exited
    expect(code).not.toBe(0)
    expect(third.output()).toContain("REMOTE_REFUSED")
  },
)

test(
  "[REMOTE-7] [REMOTE-9] a machine shares nothing until its user turns it on, and its token is stored encrypted",
  TIMEOUT,
  async () => {
    await using it = await scene()
    const { server } = it
    await it.people("invite", "ada", "--role", "operator")
    const { token = "" } = await it.people("token", "new", "ada")
    expect((await it.machine("ticket", "new", "Round quotes")).code).toBe(0)
    const early = await it.machine("connect", "share", "board", "on")
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("CONNECT_NONE")])
    const shared = async () => (await ask<{ items: SharedItem[] }>(server, "shared")).json.items

    const refused = it.runner([server.url, "--token-stdin"], "wrong\n")
    expect((await refused.exited)[0]).not.toBe(0)
    expect(refused.output()).toContain("REMOTE_REFUSED")
    const none = it.runner([server.url])
    expect((await none.exited)[0]).not.toBe(0)
    expect(none.output()).toContain("CONNECT_TOKEN_MISSING")

    const runner = it.runner([server.url, "--token-stdin"], token)
    await runner.said("Connected as")
    const twice = it.runner([])
    expect((await twice.exited)[0]).not.toBe(0)
    expect(twice.output()).toContain("CONNECT_RUNS_ALREADY")
    // A denied run shows that whole rounds have passed.
    const denied = await request(server, "synthetic", "Paint it")
    expect(await ended(server, denied.id)).toMatchObject({ state: "denied" })
    expect(await shared()).toEqual([])

    expect((await it.machine("connect", "share", "board", "on")).code).toBe(0)
    const items = await until("a shared ticket", async () =>
      (await shared()).length > 0 ? shared() : undefined,
    )
    expect(items).toMatchObject([{ repository: "shop", kind: "board", title: "Round quotes" }])
    const { connections } = JSON.parse((await it.machine("connect", "status", "--json")).stdout)
    expect(connections).toMatchObject([{ url: server.url, shares: ["board"], isRunning: true }])
    const other = `AWS_SECRET_ACCESS_KEY=${randomBytes(30).toString("base64url")}`
    const asked = { sessionId: sessionIdOf("quotes"), cwd: it.shop, at: Date.UTC(2026, 0, 5) }
    await writeLines(claudeFile(it.home, it.shop, asked.sessionId), [
      claudePrompt(`Why are quotes not rounded? ${other}`, asked),
    ])
    expect((await it.machine("sessions", "import")).code).toBe(0)
    const memory = ["memory", "add", "Quotes", "Round half up.", "--kind", "rule"]
    expect((await it.machine(...memory)).code).toBe(0)
    for (const kind of ["memory", "sessions"])
      expect((await it.machine("connect", "share", kind, "on")).code).toBe(0)
    const three = await until("memories and sessions", async () => {
      const now = await shared()
      return new Set(now.map((one) => one.kind)).size === 3 ? now : undefined
    })
    const titles = three.map((one) => `${one.kind}: ${one.title}`)
    expect(titles).toContain("memory: Quotes")
    expect(titles.join("\n")).toContain("sessions: Why are quotes not rounded?")
    expect(JSON.stringify(three)).toContain("Round half up.")
    expect(JSON.stringify(three)).not.toContain(other.split("=")[1])
    for (const kind of ["memory", "sessions", "board"])
      expect((await it.machine("connect", "share", kind, "off")).code).toBe(0)
    await until("no shared ticket", async () => ((await shared()).length === 0 ? true : undefined))

    const folder = path.join(it.home, ".qm")
    for (const name of await readdir(folder, { recursive: true })) {
      const bytes = await readFile(path.join(folder, name)).catch(() => Buffer.alloc(0))
      expect(bytes.includes(token), name).toBe(false)
    }
    await runner.kill()
    expect((await it.machine("connect", "forget")).stdout).toContain("removed all shared records")
    expect((await it.machine("connect", "status")).stdout).toContain("No repository is connected")
    await writeFile(path.join(folder, "connect.json"), "{")
    const damaged = await it.machine("connect", "status")
    expect([damaged.code, damaged.stderr]).toEqual([
      1,
      expect.stringContaining("CONNECT_FILE_DAMAGED"),
    ])
    expect(await readFile(path.join(folder, "connect.json"), "utf8")).toBe("{")
    expect((await it.machine("credential", "list")).stdout).not.toContain("connect-")
  },
)
