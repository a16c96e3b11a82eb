import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { hostProgram, type TestedHost } from "#test/host-programs"
import { scriptedAnthropic } from "#test/model-anthropic"
import { openAiModel } from "#test/model-openai"
import { needs } from "#test/needs"
import { tempDirectory } from "#test/temp"
import type { Agent } from "./agent.ts"
import { claudeCode } from "./claude-code/claude-code.ts"
import { codex } from "./codex/codex.ts"
import { copilot } from "./copilot/copilot.ts"
import { agentEnvironment } from "./environment.ts"

/** One marker each in the project, in its settings and in the prompt, to search for later. */
const PROJECT = "walnut-of-the-project"
const QUESTION = "--version pomegranate-of-the-question $(x)"

const NO_KEY = "not-a-key-of-anyone"

type Model = AsyncDisposable & { readonly requests: readonly { readonly body: unknown }[] }
type TestedAgent = {
  readonly agent: Agent
  readonly host: Exclude<TestedHost, "gemini">
  readonly answer: string
  prepare(
    home: string,
  ): Promise<{ readonly model: Model; readonly variables: Readonly<Record<string, string>> }>
}

const CLAUDE: TestedAgent = {
  agent: claudeCode,
  host: "claude-code",
  answer: "Done.",
  async prepare(home) {
    const model = await scriptedAnthropic()
    await writeIn(home, ".claude/CLAUDE.md", PROJECT)
    await writeIn(home, ".claude/settings.json", hooked(home))
    return {
      model,
      variables: {
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: NO_KEY,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        CLAUDE_CODE_MAX_RETRIES: "0",
      },
    }
  },
}

const CODEX: TestedAgent = {
  agent: codex,
  host: "codex",
  answer: "understood",
  async prepare(home) {
    const model = await openAiModel()
    const config = `model = "mock"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:${model.port}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[mcp_servers.started]
command = "/usr/bin/touch"
args = ["${home}/started"]
`
    await writeIn(home, ".codex/config.toml", config)
    return { model, variables: { OPENAI_API_KEY: NO_KEY } }
  },
}

const COPILOT: TestedAgent = {
  agent: copilot,
  host: "copilot",
  answer: "understood",
  async prepare(home) {
    const model = await openAiModel()
    await writeIn(home, ".copilot/copilot-instructions.md", PROJECT)
    return {
      model,
      variables: {
        COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
        COPILOT_MODEL: "gpt-4.1",
        COPILOT_OFFLINE: "true",
        COPILOT_CACHE_HOME: await cacheOfCopilot(),
      },
    }
  },
}

const hooked = (home: string) =>
  JSON.stringify({
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${home}/started` }] }] },
  })

describe.runIf(needs("TB7", "claude-code"))("a completion with the real Claude Code", () => {
  ask(CLAUDE)
})
describe.runIf(needs("TB7", "codex"))("a completion with the real Codex", () => {
  ask(CODEX)
})
describe.runIf(needs("TB7", "copilot"))("a completion with the real Copilot", () => {
  ask(COPILOT)
})

function ask({ agent, host, answer, prepare }: TestedAgent): void {
  test("a completion uses no tools, sees nothing of the project, and leaves no file behind", async () => {
    await using place = await tempDirectory()
    const [home, project, cwd] = ["home", "project", "q"].map((it) => join(place.path, it))
    if (home === undefined || project === undefined || cwd === undefined)
      throw new Error("no place")
    for (const folder of [home, project, cwd]) await mkdir(folder)
    for (const name of ["CLAUDE.md", "AGENTS.md"]) await writeIn(project, name, PROJECT)
    const { model, variables } = await prepare(home)
    await using _model = model
    const source = { PATH: process.env["PATH"], HOME: home, TMPDIR: place.path, ...variables }

    const said = await agent.complete({
      cwd,
      prompt: QUESTION,
      environment: agentEnvironment(host, source),
      program: hostProgram(host).program,
      signal: new AbortController().signal,
    })

    expect(said).toBe(answer)
    const asked = model.requests.filter((it) => JSON.stringify(it).includes("pomegranate"))
    expect(asked).toHaveLength(1)
    const body = asked[0]?.body as { tools?: readonly unknown[] }
    expect(body.tools ?? []).toEqual([])
    expect(JSON.stringify(body)).not.toContain(PROJECT)
    expect(JSON.stringify(body)).not.toContain(project)
    expect(await filesWith(home, "pomegranate")).toEqual([])
    expect(existsSync(join(home, "started")), "no hook and no MCP server was started").toBe(false)
  })

  test("an unreachable model gives no completion", async () => {
    await using place = await tempDirectory()
    const [home, cwd] = [join(place.path, "home"), join(place.path, "q")]
    await mkdir(home)
    await mkdir(cwd)
    const { model, variables } = await prepare(home)
    await model[Symbol.asyncDispose]()
    const source = { PATH: process.env["PATH"], HOME: home, TMPDIR: place.path, ...variables }
    const said = await agent.complete({
      cwd,
      prompt: QUESTION,
      environment: agentEnvironment(host, source),
      program: hostProgram(host).program,
      signal: AbortSignal.timeout(3_000),
    })
    expect(said).toBeUndefined()
  })
}

async function writeIn(folder: string, name: string, text: string): Promise<void> {
  const file = join(folder, name)
  await mkdir(join(file, ".."), { recursive: true })
  await writeFile(file, text)
}

async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((it) => it.isFile()).map((it) => join(it.parentPath, it.name))
  expect(files.length, "the host has been at home").toBeGreaterThan(0)
  const read = await Promise.all(files.map(async (it) => [it, await readFile(it)] as const))
  return read.filter(([, bytes]) => bytes.includes(text)).map(([file]) => file)
}

/** Unpacked once for both tests: the program brings its own files. */
let copilotCache: Awaited<ReturnType<typeof tempDirectory>> | undefined

async function cacheOfCopilot(): Promise<string> {
  copilotCache ??= await tempDirectory()
  return copilotCache.path
}

afterAll(async () => {
  await copilotCache?.[Symbol.asyncDispose]()
})
