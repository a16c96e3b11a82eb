import { spawn } from "node:child_process"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { LAUNCHER } from "#test/qm"
import { longestTestMs } from "#test/seed"
import { type Block, type Message, type MessagesBody, textOfResult } from "#test/strict-wire"
import { tempDirectory } from "#test/temp"

/** Sends the conversation in a file once. */
const HOST = `
const { readFileSync } = require("node:fs")
const body = readFileSync(process.argv[1], "utf8")
const headers = { "x-api-key": "k", "x-claude-code-session-id": "killed" }
fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body })
  .then((it) => it.text()).catch(() => {})
`

/** Answers the second request only: at the first the gateway is killed. */
async function newProvider() {
  const bodies: MessagesBody[] = []
  const first = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push(JSON.parse(body))
      first.resolve()
      if (bodies.length > 1) response.end(JSON.stringify({ usage: { input_tokens: 1 } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    first: first.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const COMMANDS = 40

function conversation(): readonly Message[] {
  const call = (use: Block, content: string): readonly Message[] => [
    { role: "assistant", content: [{ ...use, type: "tool_use" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: use.id ?? "", content }] },
  ]
  const use = (id: string, name: string, input: object): Block => ({
    type: "tool_use",
    id,
    name,
    input,
  })
  const read = (id: string, version: number): readonly Message[] =>
    call(
      use(id, "Read", { file_path: "/p/a.ts" }),
      `${version}\tconst a = ${version}\n`.repeat(2_000),
    )
  const commands = Array.from({ length: COMMANDS }, (_, it) =>
    call(use(`c${it}`, "Bash", { command: `echo ${it}` }), String(it)),
  )
  return [
    { role: "user", content: "begin" },
    ...commands.flat(),
    ...read("old", 1),
    ...read("new", 2),
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
    { role: "user", content: "go on" },
  ]
}

function resultIn(body: MessagesBody | undefined, callId: string): string {
  const blocks = (body?.messages ?? []).flatMap((it) =>
    typeof it.content === "string" ? [] : it.content,
  )
  const result = blocks.find((it) => it.tool_use_id === callId)
  return result === undefined ? "" : textOfResult(result)
}

test("[GATE-122] a gateway that is killed while its first masked request is sent restores the same masks", {
  timeout: longestTestMs(),
}, async () => {
  await using temp = await tempDirectory()
  await using provider = await newProvider()
  const project = path.join(temp.path, "project")
  await mkdir(project)
  const environment = {
    HOME: temp.path,
    PATH: process.env["PATH"] ?? "",
    ANTHROPIC_BASE_URL: provider.url,
  }
  const start = async (messages: readonly Message[], autoFold: string) => {
    const file = path.join(temp.path, `${autoFold}.json`)
    const body = { model: "claude-sonnet-4-5", messages, tools: [{ name: "Read" }] }
    await writeFile(file, JSON.stringify(body))
    const flags = ["--mode", "fold", "--auto-fold", autoFold, "--at", "1%", "--wire", "anthropic"]
    const args = ["gateway", "run", ...flags, "--", process.execPath, "-e", HOST, file]
    const child = spawn(LAUNCHER, args, { cwd: project, env: environment, stdio: "ignore" })
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    return { child, gone }
  }
  const killed = await start(conversation(), "on")
  await provider.first
  killed.child.kill("SIGKILL")
  await killed.gone
  const later: readonly Message[] = [
    ...conversation(),
    { role: "assistant", content: [{ type: "text", text: "More is done." }] },
    { role: "user", content: "and on" },
  ]
  await (await start(later, "off")).gone
  const [first, second] = provider.bodies
  expect(resultIn(first, "old")).toMatch(/^\[Removed by qm: Read \/p\/a\.ts, /)
  expect(resultIn(second, "old")).toBe(resultIn(first, "old"))
  expect(resultIn(second, "new")).toBe(resultIn(first, "new"))
  expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages)
})
