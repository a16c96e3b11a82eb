import { spawn } from "node:child_process"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import path from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { commit, git } from "./git.ts"
import { hostProgram } from "./host-programs.ts"
import { LAUNCHER, runQm } from "./qm.ts"
import { type StrictOptions, strictAnthropic } from "./strict-anthropic.ts"
import { type StrictOpenAiOptions, strictOpenAi } from "./strict-openai.ts"
import { tempDirectory } from "./temp.ts"

const LONGEST_RUN_MS = 280_000

/** How the host reaches the model: directly, or through the gateway in one of its modes. */
export type WireRoute = "direct" | "record" | "fold"

const TOOLS = "Read,Write,Edit,Grep,Glob,Bash,Agent,Skill,ToolSearch,mcp__qm"

const FOLDING = {
  CONTEXT_FOLDING_DEFAULT_BUDGET: "10000000",
  CONTEXT_FOLDING_MAX_BUDGET: "10000000",
  CONTEXT_FOLDING_BRANCH_CREATION_RATE_LIMIT: "1000",
}

type UserOptions = {
  /** Settings of folding; without them branches have no limits that a scene could reach. */
  readonly folding?: Readonly<Record<string, string>>
  /** The level of `qm init`; without it the host has no hooks. */
  readonly hookLevel?: number
}

export async function gatewayUser(
  files: Readonly<Record<string, string | Buffer>>,
  { folding = FOLDING, hookLevel }: UserOptions = {},
) {
  const temp = await tempDirectory()
  const folders = ["home", "project", "bin"].map((it) => path.join(temp.path, it))
  const [home = "", project = "", bin = ""] = folders
  for (const folder of folders) await mkdir(folder)
  await symlink(hostProgram("claude-code").program, path.join(bin, "claude"))
  await symlink(hostProgram("codex").program, path.join(bin, "codex"))
  git(project, "init", "-q", "-b", "main")
  commit(project, "feat: begin", { "README.md": "# A project\n" })
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true })
    await writeFile(path.join(project, name), content)
  }
  const servers = { mcpServers: { qm: { command: LAUNCHER, args: ["mcp"] } } }
  await writeFile(path.join(temp.path, "mcp.json"), JSON.stringify(servers))
  const env = {
    PATH: `${bin}${path.delimiter}${process.env["PATH"] ?? ""}`,
    HOME: home,
    TERM: "dumb",
    TMPDIR: temp.path,
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ...folding,
  }
  if (hookLevel !== undefined) {
    const init = ["init", "--level", String(hookLevel), "--yes", "--json"]
    const done = await runQm(init, { cwd: project, env })
    if (done.code !== 0) throw new Error(`qm init failed: ${done.stderr}`)
  }
  return Object.assign(temp, { home, project, env })
}

export type GatewayUser = Awaited<ReturnType<typeof gatewayUser>>

/** One start of the host; each prompt is sent after the previous one has its result. */
export type Start = {
  readonly way: WireRoute
  readonly prompts: readonly string[]
  readonly isTyped?: boolean
  readonly resume?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Runs before a prompt is typed; `send` writes a line of the host's control protocol. */
  readonly before?: (prompt: string, send: (line: object) => void) => void
  /** Gateway flags before its `--`, e.g. to store texts. */
  readonly gatewayArgs?: readonly string[]
}

export type HostResult = {
  readonly code: number | null
  readonly stderr: string
  readonly lines: readonly StreamLine[]
  readonly results: readonly string[]
  readonly session: string
}

export type StreamLine = {
  readonly type?: string
  readonly subtype?: string
  readonly session_id?: string
  readonly thread_id?: string
  readonly result?: string
} & Readonly<Record<string, unknown>>

export async function claudeStory(
  user: GatewayUser,
  options: StrictOptions,
  starts: readonly ((ended: readonly HostResult[]) => Start)[],
) {
  await using model = await strictAnthropic(options)
  const ended: HostResult[] = []
  for (const start of starts) ended.push(await startClaude(user, model.url, start(ended)))
  return { requests: model.requests, counted: model.counted.requests, ended }
}

async function startClaude(user: GatewayUser, url: string, start: Start): Promise<HostResult> {
  const isTyped = start.isTyped === true || start.prompts.length > 1
  const command = [
    "claude",
    "-p",
    ...(isTyped ? ["--input-format=stream-json"] : start.prompts),
    "--output-format=stream-json",
    "--verbose",
    `--mcp-config=${path.join(user.path, "mcp.json")}`,
    `--allowedTools=${TOOLS}`,
    ...(start.resume === undefined ? [] : ["--resume", start.resume]),
    ...(start.args ?? []),
  ]
  const [program = "", ...args] = throughGateway(start, command)
  const credential =
    start.env?.["ANTHROPIC_AUTH_TOKEN"] === undefined ? { ANTHROPIC_API_KEY: "not-a-key" } : {}
  const env = { ...user.env, ANTHROPIC_BASE_URL: url, ...credential, ...start.env }
  const typed = isTyped ? start.prompts : []
  return live({ program, args, env, cwd: user.project, typed, before: start.before })
}

export async function codexStory(
  user: GatewayUser,
  options: StrictOpenAiOptions,
  starts: readonly ((ended: readonly HostResult[]) => Start)[],
) {
  await using model = await strictOpenAi(options)
  await mkdir(path.join(user.home, ".codex"), { recursive: true })
  await writeFile(path.join(user.home, ".codex", "config.toml"), codexConfig(user, model.url))
  const ended: HostResult[] = []
  for (const start of starts) ended.push(await startCodex(user, start(ended)))
  return { requests: model.requests, ended }
}

/** Codex passes to its MCP servers only the environment variables of its config. */
function codexConfig(user: GatewayUser, url: string): string {
  const line = (name: string, value: string): string => `${name} = ${JSON.stringify(value)}`
  return [
    line("model", "gpt-5.5"),
    line("model_provider", "strict"),
    line("approval_policy", "never"),
    "[model_providers.strict]",
    line("name", "strict"),
    line("base_url", url),
    line("env_key", "OPENAI_API_KEY"),
    line("wire_api", "responses"),
    "[mcp_servers.qm]",
    line("command", LAUNCHER),
    'args = ["mcp"]',
    // The first request waits for the tools, however busy the machine is.
    "required = true",
    "startup_timeout_sec = 60",
    line("default_tools_approval_mode", "approve"),
    "[mcp_servers.qm.env]",
    ...Object.entries(FOLDING).map(([name, value]) => line(name, value)),
    line("TMPDIR", user.path),
    `[projects.${JSON.stringify(user.project)}]`,
    line("trust_level", "trusted"),
    "",
  ].join("\n")
}

async function startCodex(user: GatewayUser, start: Start): Promise<HostResult> {
  const command = [
    "codex",
    "exec",
    "--json",
    "--sandbox=danger-full-access",
    ...(start.args ?? []),
    ...(start.resume === undefined ? [] : ["resume", start.resume]),
    ...start.prompts,
  ]
  const [program = "", ...args] = throughGateway(start, command)
  const env = { ...user.env, OPENAI_API_KEY: "not-a-key", ...start.env }
  return live({ program, args, env, cwd: user.project, typed: [] })
}

function throughGateway(start: Start, command: readonly string[]): readonly string[] {
  if (start.way === "direct") return command
  return [
    LAUNCHER,
    "gateway",
    "run",
    "--mode",
    start.way,
    ...(start.gatewayArgs ?? []),
    "--",
    ...command,
  ]
}

type HostProcessInput = {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly typed: readonly string[]
  readonly before?: Start["before"] | undefined
}

async function live(living: HostProcessInput): Promise<HostResult> {
  const { program, args, env, cwd, typed, before } = living
  // A process group of its own, so that a hanging host ends with everything it started.
  const child = spawn(program, args, { cwd, env, detached: true })
  const { pid } = child
  const hung = setTimeout(() => pid !== undefined && process.kill(-pid, "SIGKILL"), LONGEST_RUN_MS)
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  child.stdin.on("error", () => {})
  const waiting = [...typed]
  const typeNext = (): void => {
    const next = waiting.shift()
    if (next === undefined) return void child.stdin.end()
    const send = (line: object): void => void child.stdin.write(`${JSON.stringify(line)}\n`)
    before?.(next, send)
    const message = { role: "user", content: [{ type: "text", text: next }] }
    send({ type: "user", message })
  }
  typeNext()
  const stderr = text(child.stderr)
  const lines: StreamLine[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const read = readLine(line)
    lines.push(read)
    if (read.type === "result") typeNext()
  }
  const code = await closed
  clearTimeout(hung)
  const results = lines.flatMap(resultIn)
  const session = lines.map((it) => it.session_id ?? it.thread_id).find((it) => it !== undefined)
  return { code, stderr: await stderr, lines, results, session: session ?? "" }
}

function resultIn(line: StreamLine): readonly string[] {
  if (line.type === "result") return [line.result ?? ""]
  const item = line["item"] as { readonly type?: string; readonly text?: string } | undefined
  const isAgentText = line.type === "item.completed" && item?.type === "agent_message"
  return isAgentText ? [item?.text ?? ""] : []
}

/** A line that is not JSON is stored as such. */
function readLine(line: string): StreamLine {
  try {
    return JSON.parse(line)
  } catch {
    return { type: "plain", line }
  }
}
