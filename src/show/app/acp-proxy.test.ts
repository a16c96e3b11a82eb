import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { Readable, Writable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { client, ndJsonStream } from "@agentclientprotocol/sdk"
import { expect, test } from "vitest"
import { childFile } from "#test/child"
import { git } from "#test/git"
import { LAUNCHER } from "#test/qm"
import { tempDirectory } from "#test/temp"

const AGENT = childFile(new URL("../../../test/conformance/agents-acp.child.ts", import.meta.url))

/** An editor on the protocol's own SDK, which allows everything and writes files itself. */
async function editor(environment: Readonly<Record<string, string>> = {}) {
  const temp = await tempDirectory()
  const repository = path.join(temp.path, "project")
  await mkdir(repository)
  git(repository, "init", "--quiet")
  const env = { PATH: process.env["PATH"] ?? "", HOME: temp.path, ...environment }
  const qm = (...args: readonly string[]) =>
    spawn(LAUNCHER, args, { cwd: repository, env, stdio: "pipe" })
  async function runQm(...args: readonly string[]): Promise<string> {
    return (await buffer(qm(...args).stdout)).toString("utf8")
  }
  async function prompt(text: string, ...flags: readonly string[]) {
    const child = qm("acp", ...flags, "--", process.execPath, AGENT)
    const exited = new Promise((resolve) => child.once("exit", resolve))
    const asked: string[] = []
    const said: string[] = []
    const app = client({ name: "editor" })
      .onNotification("session/update", ({ params }) => {
        const { update } = params
        const isText = update.sessionUpdate === "agent_message_chunk"
        if (isText && update.content.type === "text") said.push(update.content.text)
      })
      .onRequest("session/request_permission", ({ params }) => {
        asked.push(params.toolCall.toolCallId)
        return { outcome: { outcome: "selected", optionId: params.options[0]?.optionId ?? "" } }
      })
      .onRequest("fs/write_text_file", async ({ params }) => {
        await writeFile(params.path, params.content)
        return {}
      })
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    )
    const stopReason = await app.connectWith(stream, async (agent) => {
      await agent.request("initialize", {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true } },
      })
      const session = await agent.request("session/new", { cwd: repository, mcpServers: [] })
      const { sessionId } = session
      const block = { type: "text", text } as const
      const params = { sessionId, prompt: [block] }
      const ended = await agent.request<{ stopReason: string }>("session/prompt", params)
      return ended.stopReason
    })
    child.stdin.end()
    return { stopReason, asked, said: said.join(""), code: await exited }
  }
  return {
    repository,
    env,
    qm,
    runQm,
    prompt,
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
}

const deed = "edit"
/** The scripted agent edits a file when it reads this. */
const EDIT = `please ${deed}`

test("[APP-90] an editor works with an agent through qm acp, and the session is a run", async () => {
  await using it = await editor()
  const { stopReason, asked, said, code } = await it.prompt(EDIT)
  expect({ stopReason, asked, said, code }).toEqual({
    stopReason: "end_turn",
    asked: ["call-1"],
    said: "understood in yolo",
    code: 0,
  })
  expect(await readFile(path.join(it.repository, "note.txt"), "utf8")).toBe("remember\n")
  const [run] = JSON.parse(await it.runQm("runs", "--json")).runs
  expect(run).toMatchObject({ type: "acp", title: EDIT, status: "completed", turns: 1 })
  expect(run.cost.usage).toEqual({ input: 90, output: 20, cacheRead: 10, cacheWrite: 0 })
  const messages = await it.runQm("runs", "messages", run.id)
  expect(messages).toContain(`user      ${EDIT}`)
  expect(messages).toContain("Allowed by editor")
  expect(messages).toContain("response  understood in yolo")
})

test("[APP-91] a deny rule answers the agent, and the editor is not asked", async () => {
  await using it = await editor({ QM_AGENTS_DENY: "Edit(note.txt)" })
  const { stopReason, asked } = await it.prompt(EDIT)
  expect({ stopReason, asked }).toEqual({ stopReason: "end_turn", asked: [] })
  expect(existsSync(path.join(it.repository, "note.txt"))).toBe(false)
  const [run] = JSON.parse(await it.runQm("runs", "--json")).runs
  expect(await it.runQm("runs", "messages", run.id)).toContain(
    "Denied by rule: deny Edit(note.txt)",
  )
})

test("[APP-90] bytes are passed on unchanged in both directions", async () => {
  await using it = await editor()
  const lines = [
    '{ "jsonrpc" : "2.0",  "id":1e0, "method":"initialize","params":{"a":"\\u00e9\\/","n":1.0}}\r\n',
    "not JSON at all\n",
    "\n",
    '[{"id":7}]\n',
    `{"jsonrpc":"2.0","method":"_x/y","params":{"text":"${"é".repeat(200_000)}"}}\n`,
    Buffer.from([0x7b, 0xff, 0xfe, 0x0a]),
    '{"jsonrpc":"2.0","id":"1","method":"session/prompt","params":{"sessionId":"none","prompt":[]}}\n',
    "the end has no line feed",
  ]
  const sent = Buffer.concat(lines.map((line) => Buffer.from(line)))
  const child = it.qm("acp", "--", process.execPath, "-e", "process.stdin.pipe(process.stdout)")
  child.stdin.end(sent)
  expect((await buffer(child.stdout)).equals(sent)).toBe(true)
})

test("[APP-92] an agent that does not exist is an error with a hint, and an exit code is passed on", async () => {
  await using it = await editor()
  const missing = it.qm("acp", "--", "no-such-agent")
  expect((await buffer(missing.stderr)).toString()).toContain("APP_ACP_AGENT_NOT_STARTED")
  const failing = it.qm("acp", "--", process.execPath, "-e", "process.exit(7)")
  const code = await new Promise((resolve) => failing.once("exit", resolve))
  expect(code).toBe(7)
})
