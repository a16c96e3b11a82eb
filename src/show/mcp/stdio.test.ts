import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { access } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, test } from "vitest"
import { z } from "zod"
import { FoldList } from "#ground/contract"
import { childFile } from "#test/child"
import { newFixture } from "./app.fixture.ts"
import { ERAS, read } from "./mcp.fixture.ts"

const PROGRAM = childFile(new URL("stdio.fixture.ts", import.meta.url))
const { signal } = new AbortController()

type StdioFixture = Awaited<ReturnType<typeof newFixture>>

async function branchesOf(fixture: StdioFixture) {
  await using app = await fixture.open()
  return FoldList.parse(await app.call("fold.list", {}, { signal })).branches
}

/** The program with bare pipes, for input that no client library would send. */
function started(fixture: StdioFixture) {
  const child = spawn(process.execPath, [PROGRAM, fixture.project], {
    env: fixture.environment,
    stdio: ["pipe", "pipe", "pipe"],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    child,
    say: (text: string) => void child.stdin.write(text),
    async hear(): Promise<unknown> {
      const line = await lines.next()
      return line.done === true ? undefined : JSON.parse(line.value)
    },
    async [Symbol.asyncDispose]() {
      await ended(child)
    },
  }
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL")
    await once(child, "exit")
  }
  return child.exitCode
}

const request = (id: number, method: string, params: unknown = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`

const OPEN = request(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "claude-code", version: "2.1.0" },
})
const BRANCH = request(2, "tools/call", {
  name: "branch",
  arguments: { description: "find the berth", prompt: "find it" },
})

test.each(ERAS)(
  "[MCP-10] stdout has only frames in the %s protocol, whatever other code prints",
  async (era) => {
    await using fixture = await newFixture()
    const client = new Client(
      { name: "tester", version: "1.0.0" },
      era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
    )
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, fixture.project],
      env: fixture.environment,
      stderr: "pipe",
    })
    const wrong: Error[] = []
    client.onerror = (error) => void wrong.push(error)
    let stderr = ""
    transport.stderr?.on("data", (bytes: Buffer) => {
      stderr += bytes.toString()
    })
    await client.connect(transport)
    const opened = read(
      await client.callTool({ name: "branch", arguments: { description: "look", prompt: "look" } }),
    )
    const { branch_id } = z.object({ branch_id: z.string() }).parse(opened.fields)
    await client.callTool({ name: "return", arguments: { branch_id, message: "seen" } })
    await client.close()
    expect(wrong).toEqual([])
    expect(stderr).toContain("a stray word\nstray bytes\nstray text\n")
    const [branch] = await branchesOf(fixture)
    expect(branch).toMatchObject({ id: branch_id, status: "completed", client: "tester" })
    expect(branch?.sessionId).toMatch(/^stdio\/[0-9a-f]{32}$/)
  },
)

test("[MCP-11] garbage and a frame above the limit get errors, and the server continues", async () => {
  await using fixture = await newFixture()
  await using program = started(fixture)
  program.say("garbage\n")
  expect(await program.hear()).toMatchObject({ id: null, error: { code: -32_700 } })
  program.say(`${"x".repeat(10_000_001)}\n`)
  expect(await program.hear()).toMatchObject({ id: null, error: { code: -32_600 } })
  program.say(OPEN)
  expect(await program.hear()).toMatchObject({
    id: 1,
    result: { serverInfo: { name: "quartermaster" } },
  })
  // No request was made, so there is no session to end.
  const exited = once(program.child, "exit")
  program.child.stdin.end()
  expect(await exited).toEqual([0, null])
  const store = path.join(fixture.project, ".qm", "local", "store.db")
  await expect(access(store)).rejects.toThrow("ENOENT")
})

test.each(["stdin ends", "SIGTERM comes"])(
  "[MCP-12] when %s, the session's branches end and the process exits with 0",
  async (how) => {
    await using fixture = await newFixture()
    await using program = started(fixture)
    program.say(OPEN)
    await program.hear()
    program.say(BRANCH)
    expect(await program.hear()).toMatchObject({
      id: 2,
      result: { structuredContent: { depth: 0 } },
    })
    const exited = once(program.child, "exit")
    if (how === "stdin ends") program.child.stdin.end()
    else program.child.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
    const [branch] = await branchesOf(fixture)
    expect(branch).toMatchObject({
      status: "cancelled",
      endReason: "session-ended",
      client: "claude-code",
      mode: "sub-agent",
    })
  },
)

test("[H8][MCP-12] of two processes with one session, the end of one leaves the branches of the other open", async () => {
  await using fixture = await newFixture()
  const shared = {
    ...fixture,
    environment: { ...fixture.environment, CLAUDE_CODE_SESSION_ID: "shared-session" },
  }
  await using first = started(shared)
  await using second = started(shared)
  for (const program of [first, second]) {
    program.say(OPEN)
    await program.hear()
    program.say(BRANCH)
    expect(await program.hear()).toMatchObject({ id: 2, result: {} })
  }
  const exited = once(first.child, "exit")
  first.child.stdin.end()
  await exited
  // The second branch is below the first, which therefore stays open too.
  const open = await branchesOf(fixture)
  expect(open.map((it) => [it.sessionId, it.status])).toEqual([
    ["shared-session", "active"],
    ["shared-session", "active"],
  ])
  const last = once(second.child, "exit")
  second.child.stdin.end()
  await last
  expect((await branchesOf(fixture)).map((it) => it.status)).toEqual(["cancelled", "cancelled"])
})

test("[MCP-12] requests sent before the end of stdin get their responses", async () => {
  await using fixture = await newFixture()
  await using program = started(fixture)
  const exited = once(program.child, "exit")
  program.child.stdin.end(`${OPEN}${BRANCH}`)
  expect(await program.hear()).toMatchObject({ id: 1 })
  expect(await program.hear()).toMatchObject({ id: 2, result: { structuredContent: { depth: 0 } } })
  expect(await exited).toEqual([0, null])
  expect(await branchesOf(fixture)).toMatchObject([{ status: "cancelled" }])
})

test("[MCP-10] a client that closed stderr gets its responses", async () => {
  await using fixture = await newFixture()
  await using program = started(fixture)
  program.child.stderr.destroy()
  program.say(OPEN)
  await program.hear()
  for (const id of [2, 3]) {
    program.say(request(id, "tools/call", { name: "branch_status", arguments: {} }))
    expect(await program.hear()).toMatchObject({ id, result: { structuredContent: {} } })
  }
})
