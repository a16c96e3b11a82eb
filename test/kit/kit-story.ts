import { spawn } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { zstdDecompressSync } from "node:zlib"
import { commit, git } from "./git.ts"
import { hostProgram } from "./host-programs.ts"
import { type AnswerBlock, type Script, scriptedAnthropic } from "./model-anthropic.ts"
import { LAUNCHER, runQm } from "./qm.ts"
import { tempDirectory } from "./temp.ts"

const LONGEST_RUN_MS = 60_000
const RETRY_MS = 250

export type KitUser = Awaited<ReturnType<typeof kitUser>>

/**
 * A user with the real hosts on the PATH and a repository with these files: `await using user =
 * await kitUser({ "src/kettle.ts": "…" })`. The model is the test's.
 */
export async function kitUser(files: Readonly<Record<string, string>>) {
  const temp = await tempDirectory()
  const folders = ["home", "project", "bin"].map((it) => path.join(temp.path, it))
  const [home = "", project = "", bin = ""] = folders
  for (const folder of folders) await mkdir(folder)
  await symlink(hostProgram("claude-code").program, path.join(bin, "claude"))
  await symlink(hostProgram("codex").program, path.join(bin, "codex"))
  await symlink(LAUNCHER, path.join(bin, "qm"))
  git(project, "init", "-q", "-b", "main")
  commit(project, "feat: begin", files)
  const env = {
    PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
    HOME: home,
    TERM: "dumb",
  }
  return Object.assign(temp, {
    home,
    project,
    env,
    stateDirectory: path.join(project, ".git", "qm"),
    qm: (args: readonly string[]) => runQm(args, { cwd: project, env }),
    run: (program: string, args: readonly string[]) =>
      runProgram(program, args, { cwd: project, env }),
  })
}

export type StoryRun = {
  readonly asked: readonly string[]
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type ToolCall = { readonly name: string; readonly input: object }

export async function liveClaudeCode(
  user: KitUser,
  story: {
    readonly prompt: string
    readonly steps: readonly ToolCall[]
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<StoryRun> {
  const script: Script = (request, turn): readonly AnswerBlock[] => {
    const isMain = JSON.stringify(request.body).includes(story.prompt)
    const step = isMain ? story.steps[turn] : undefined
    if (step === undefined) return [{ type: "text", text: "Done." }]
    return [{ type: "tool_use", id: `toolu_${turn}`, ...step }]
  }
  await using model = await scriptedAnthropic(script)
  const tools = "Read,Write,Edit,Agent,Bash,mcp__plugin_qm_qm"
  const args = ["-p", story.prompt, "--output-format", "json", "--allowedTools", tools]
  const ended = await runProgram(hostProgram("claude-code").program, args, {
    cwd: user.project,
    env: {
      ...user.env,
      // Temporary files of the host are removed with the user.
      TMPDIR: user.path,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "not-a-key",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...story.env,
    },
  })
  return { ...ended, asked: model.messages().map((it) => JSON.stringify(it.body)) }
}

export type CodexStory = {
  readonly prompt: string
  readonly patches: readonly (string | CodexCall)[]
  readonly trustHooks: boolean
  readonly args?: readonly string[]
}

type CodexCall = { readonly namespace: string; readonly name: string; readonly input: object }

export async function liveCodex(user: KitUser, story: CodexStory): Promise<StoryRun> {
  await using model = await scriptedResponses((turn) => story.patches[turn])
  const provider = `{name="m",base_url="${model.url}/v1",wire_api="responses",env_key="MODEL_KEY"}`
  const settings = [
    `model="gpt-5.5"`,
    `model_provider="m"`,
    `model_providers.m=${provider}`,
    `projects={${JSON.stringify(user.project)}={trust_level="trusted"}}`,
  ]
  const args = [
    "exec",
    "--json",
    "--ephemeral",
    "--sandbox",
    "danger-full-access",
    ...(story.trustHooks ? ["--dangerously-bypass-hook-trust"] : []),
    ...settings.flatMap((it) => ["-c", it]),
    ...(story.args ?? []),
    story.prompt,
  ]
  const env = { ...user.env, MODEL_KEY: "not-a-key" }
  const ended = await runProgram(hostProgram("codex").program, args, { cwd: user.project, env })
  return { ...ended, asked: model.asked }
}

type HostRun = { readonly cwd: string; readonly env: Readonly<Record<string, string>> }

async function runProgram(program: string, args: readonly string[], options: HostRun) {
  const child = spawn(program, args, {
    ...options,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LONGEST_RUN_MS,
    killSignal: "SIGKILL",
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

async function scriptedResponses(stepOf: (turn: number) => string | CodexCall | undefined) {
  const questions: string[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (!(request.url ?? "").endsWith("/responses")) return response.writeHead(404).end("{}")
      questions.push(body)
      const outputs = [...body.matchAll(/"(?:custom_tool|function)_call_output"/g)].length
      // Codex does not wait for a server to start: until then its tools are unknown, and the model asks again.
      const early = [...body.matchAll(/unsupported call: mcp__/g)].length
      const step = stepOf(outputs - early)
      return setTimeout(() => answer(response, step, questions), early > 0 ? RETRY_MS : 0)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked: questions,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  const bytes = Buffer.concat(parts)
  const isPacked = request.headers["content-encoding"] === "zstd"
  return (isPacked ? zstdDecompressSync(bytes) : bytes).toString()
}

function answer(
  response: ServerResponse,
  step: string | CodexCall | undefined,
  { length }: readonly string[],
): void {
  const item = itemOf(step, length)
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of [
    { type: "response.created", response: { id: `resp_${length}` } },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: `resp_${length}`, output: [item], usage } },
  ]) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}

function itemOf(step: string | CodexCall | undefined, nth: number): object {
  if (step === undefined) {
    const content = [{ type: "output_text", text: "Done." }]
    return { type: "message", id: `msg_${nth}`, role: "assistant", content }
  }
  const ids = { id: `ct_${nth}`, call_id: `call_${nth}` }
  if (typeof step === "string") {
    return { type: "custom_tool_call", ...ids, name: "apply_patch", input: step }
  }
  const { namespace, name, input } = step
  return { type: "function_call", ...ids, namespace, name, arguments: JSON.stringify(input) }
}

/** Confirms the current hooks in Codex, as a user does in /hooks. */
export async function reviewHooks(user: KitUser): Promise<readonly string[]> {
  const child = spawn(hostProgram("codex").program, ["app-server"], {
    cwd: user.project,
    env: user.env,
    stdio: ["pipe", "pipe", "ignore"],
    timeout: LONGEST_RUN_MS,
  })
  const clientInfo = { name: "test", title: "test", version: "1" }
  for (const message of [
    { id: 1, method: "initialize", params: { clientInfo } },
    { method: "initialized" },
    { id: 2, method: "hooks/list", params: { cwds: [user.project] } },
  ]) {
    child.stdin.write(`${JSON.stringify(message)}\n`)
  }
  const { createInterface } = await import("node:readline")
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line)
    if (message.id !== 2) continue
    child.stdin.end()
    const hooks: readonly { key: string; currentHash: string }[] = message.result.data[0].hooks
    const lines = hooks.map(
      (it) => `[hooks.state.${JSON.stringify(it.key)}]\ntrusted_hash = "${it.currentHash}"\n`,
    )
    await writeFile(path.join(user.home, ".codex", "config.toml"), lines.join("\n"), { flag: "a" })
    return hooks.map((it) => it.key)
  }
  throw new Error("Codex did not list its hooks")
}
