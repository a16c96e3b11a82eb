import { existsSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { hostProgram, type TestedProgram } from "#test/host-programs"
import { scriptedAnthropic } from "#test/model-anthropic"
import type { AgentFixture, ScriptedAction, SuiteAgent } from "./agents.ts"
import { writeProgram } from "./agents-fake-host.ts"
import { claudeScript, scriptedOpenAi } from "./agents-model.ts"

/** In memory if possible, because the hosts sync databases to the disk. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()

async function rooms(base = MEMORY) {
  const root = await realpath(await mkdtemp(join(base, "qm-agent-")))
  const [home, cwd, temp] = [join(root, "home"), join(root, "w"), join(root, "tmp")]
  for (const folder of [home, cwd, temp]) await mkdir(folder)
  const basics = { PATH: process.env["PATH"], HOME: home, TMPDIR: temp, TERM: "dumb" }
  return {
    home,
    cwd,
    basics,
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const promptFor = (deed: ScriptedAction) => `--hello $(x), please ${deed}`

/** Not a real key. Long enough that a host does not find it in its own text. */
const NO_KEY = "not-a-key-of-anyone"

type TestedAgent = {
  readonly agent: SuiteAgent
  readonly servers?: readonly string[]
  environment(
    source: Readonly<Record<string, string | undefined>>,
  ): Readonly<Record<string, string>>
}

const SERVER = fileURLToPath(new URL("agents-server.child.ts", import.meta.url))

function serversIn(home: string, names: readonly string[] = []) {
  return names.map((name) => ({
    name,
    command: process.execPath,
    args: [SERVER, join(home, name)],
  }))
}

function serversJson(home: string, names?: readonly string[]): string {
  const entries = serversIn(home, names).map(({ name, command, args }) => {
    const entry = { type: "stdio", command, args, tools: ["*"] }
    return [name, entry] as const
  })
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) })
}

export async function claudeCodeFixture(tested: TestedAgent): Promise<AgentFixture> {
  const place = await rooms()
  const { servers } = tested
  if (servers) await writeFile(join(place.home, ".claude.json"), serversJson(place.home, servers))
  const model = await scriptedAnthropic(claudeScript(place.cwd))
  const environment = tested.environment({
    ...place.basics,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: NO_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
  })
  return worldOf(place, model, { agent: tested.agent, host: "claude-code", environment })
}

export async function codexFixture(tested: TestedAgent): Promise<AgentFixture> {
  // Its sandbox has its own /dev, which does not contain folders of /dev/shm.
  const place = await rooms(tmpdir())
  const model = await scriptedOpenAi(place.cwd)
  await mkdir(join(place.home, ".codex"))
  await writeFile(
    join(place.home, ".codex/config.toml"),
    codexConfig(model.port, serversIn(place.home, tested.servers)),
  )
  const environment = tested.environment({ ...place.basics, OPENAI_API_KEY: NO_KEY })
  return worldOf(place, model, { agent: tested.agent, host: "codex", environment })
}

function codexConfig(port: number, servers: ReturnType<typeof serversIn>): string {
  const tables = servers.map(
    ({ name, command, args }) =>
      `[mcp_servers.${JSON.stringify(name)}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
  )
  return `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
${tables.join("")}`
}

/** The program unpacks its files, once per test file. */
let copilotCache: string | undefined

export async function copilotFixture(tested: TestedAgent): Promise<AgentFixture> {
  const place = await rooms()
  await mkdir(join(place.home, ".copilot"))
  const { servers } = tested
  const file = join(place.home, ".copilot/mcp-config.json")
  if (servers) await writeFile(file, serversJson(place.home, servers))
  const model = await scriptedOpenAi(place.cwd)
  const environment = tested.environment({
    ...place.basics,
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
    COPILOT_MODEL: "gpt-4.1",
    COPILOT_OFFLINE: "true",
    COPILOT_CACHE_HOME: await cacheOfCopilot(),
  })
  return worldOf(place, model, { agent: tested.agent, host: "copilot", environment })
}

/** Claude Code behind the adapter of the Agent Client Protocol. */
export async function claudeAcpFixture(tested: TestedAgent): Promise<AgentFixture> {
  const place = await rooms()
  const model = await scriptedAnthropic(claudeScript(place.cwd))
  const environment = tested.environment({
    ...place.basics,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: NO_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    CLAUDE_CODE_EXECUTABLE: hostProgram("claude-code").program,
  })
  return worldOf(place, model, { agent: tested.agent, host: "claude-agent-acp", environment })
}

/** Codex behind the adapter of the Agent Client Protocol. */
export async function codexAcpFixture(tested: TestedAgent): Promise<AgentFixture> {
  const place = await rooms(tmpdir())
  const model = await scriptedOpenAi(place.cwd)
  await mkdir(join(place.home, ".codex"))
  await writeFile(join(place.home, ".codex/config.toml"), codexConfig(model.port, []))
  const environment = tested.environment({ ...place.basics, OPENAI_API_KEY: NO_KEY })
  return worldOf(place, model, { agent: tested.agent, host: "codex-acp", environment })
}

export async function opencodeFixture(tested: TestedAgent): Promise<AgentFixture> {
  const place = await rooms()
  const model = await scriptedOpenAi(place.cwd, "opencode")
  const folder = join(place.home, ".config/opencode")
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, "opencode.json"), opencodeConfig(model.port))
  const environment = tested.environment({
    ...place.basics,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  })
  return worldOf(place, model, { agent: tested.agent, host: "opencode", environment })
}

/** Gemini CLI requires a sign-in method and a trusted folder; a fixed model needs no router. */
export async function geminiFixture(tested: TestedAgent): Promise<AgentFixture> {
  const place = await rooms()
  const model = await scriptedOpenAi(place.cwd)
  await mkdir(join(place.home, ".gemini"))
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
    model: { name: "mock" },
  }
  await writeFile(join(place.home, ".gemini/settings.json"), JSON.stringify(settings))
  const environment = tested.environment({
    ...place.basics,
    GEMINI_API_KEY: NO_KEY,
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${model.port}`,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
  })
  return worldOf(place, model, { agent: tested.agent, host: "gemini", environment })
}

export function opencodeConfig(port: number): string {
  return JSON.stringify({
    model: "mock/mock",
    small_model: "mock/mock",
    provider: {
      mock: {
        npm: "@ai-sdk/openai-compatible",
        name: "Mock",
        options: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: NO_KEY },
        models: { mock: { name: "Mock", limit: { context: 100_000, output: 4_000 } } },
      },
    },
  })
}

async function isThere(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20))
}

async function cacheOfCopilot(): Promise<string> {
  copilotCache ??= await mkdtemp(join(MEMORY, "qm-copilot-"))
  return copilotCache
}

export async function removeCopilotCache(): Promise<void> {
  if (copilotCache !== undefined) await rm(copilotCache, { recursive: true, force: true })
}

async function worldOf(
  place: AsyncDisposable & { readonly cwd: string; readonly home: string },
  model: AsyncDisposable,
  it: Pick<AgentFixture, "agent"> & {
    readonly host: TestedProgram
    readonly environment: Readonly<Record<string, string>>
  },
): Promise<AgentFixture> {
  const { program: file, args } = hostProgram(it.host)
  const program = args.length === 0 ? file : await writeProgram(place.home, [file, ...args])
  const { environment } = it
  return {
    agent: it.agent,
    marker: place.home,
    hasMade: () => existsSync(join(place.cwd, "made.txt")),
    hasServed: (name) => existsSync(join(place.home, name)),
    isWaiting: () => isThere(join(place.cwd, "waiting.txt")),
    options: (deed) => ({ cwd: place.cwd, prompt: promptFor(deed), environment, program }),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}
