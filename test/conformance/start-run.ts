import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "#ground/base"
import { hostProgram, type TestedHost } from "#test/host-programs"
import { scriptedAnthropic } from "#test/model-anthropic"
import { openAiModel } from "#test/model-openai"

/** Longer than any first request takes on a loaded machine of two cores. */
const LONGEST_RUN_MS = 120_000
const MOST_OUTPUT_BYTES = 8 * 1024 * 1024

/** By default Claude Code sends its first request after a few seconds, with the servers that answered by then. */
const WAITS_FOR_SERVERS = {
  MCP_CONNECTION_NONBLOCKING: "0",
  MCP_CONNECT_TIMEOUT_MS: "60000",
  MCP_TIMEOUT: "60000",
}

export const PROMPT = "hello"

export type StartPlace = {
  readonly home: string
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** The host's default if absent. */
  readonly model?: string | undefined
}

/** The body of the first request that a real host sends to a loopback model. */
export async function firstRequest(host: TestedHost, place: StartPlace): Promise<unknown> {
  if (host !== "claude-code") return await firstOpenAiRequest(host, place)
  await using model = await scriptedAnthropic()
  const words = ["-p", PROMPT, "--output-format", "stream-json", "--verbose"]
  const chosen = place.model === undefined ? [] : ["--model", place.model]
  const said = await runHost(host, place, {
    args: [...words, ...chosen],
    env: {
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "not-a-key",
      DISABLE_TELEMETRY: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...WAITS_FOR_SERVERS,
    },
  })
  return bodyOf(model.messages()[0]?.body, said)
}

async function firstOpenAiRequest(host: Exclude<TestedHost, "claude-code">, place: StartPlace) {
  await using model = await openAiModel()
  const said = await runHost(host, place, STARTS[host](model.port, place.model))
  const sent = model.requests.find((it) =>
    /\/responses$|\/chat\/completions$|streamGenerateContent/.test(it.path),
  )
  return bodyOf(sent?.body, said)
}

type HostStart = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

const STARTS: Readonly<
  Record<Exclude<TestedHost, "claude-code">, (port: number, model: string | undefined) => HostStart>
> = {
  codex: (port, model) => ({
    args: [
      "exec",
      "--json",
      "--skip-git-repo-check",
      ...(model === undefined ? [] : ["-c", `model="${model}"`]),
      "-c",
      'model_provider="mock"',
      "-c",
      `model_providers.mock={name="mock",base_url="http://127.0.0.1:${port}/v1",env_key="KEY"}`,
      PROMPT,
    ],
    env: { KEY: "none" },
  }),
  copilot: (port, model) => ({
    args: ["-p", PROMPT, "--output-format", "json", "--allow-all-tools"],
    env: {
      COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      COPILOT_MODEL: model ?? "gpt-4.1",
      COPILOT_OFFLINE: "true",
    },
  }),
  gemini: (port, model) => ({
    args: ["-p", PROMPT, "--output-format", "stream-json", "-m", model ?? "mock"],
    env: {
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
  }),
}

async function runHost(host: TestedHost, place: StartPlace, start: HostStart): Promise<string> {
  const { program, args } = hostProgram(host)
  const outcome = await run(program, [...args, ...start.args], {
    cwd: place.cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: place.home,
      TERM: "dumb",
      ...start.env,
      ...place.env,
    },
    timeoutMs: LONGEST_RUN_MS,
    maxOutputBytes: MOST_OUTPUT_BYTES,
  })
  return "stdout" in outcome ? `${outcome.stderr.toString()}${outcome.stdout.toString()}` : ""
}

function bodyOf(body: unknown, said: string): unknown {
  if (body === undefined) throw new Error(`the host sent no request: ${said.slice(-2_000)}`)
  return body
}

/** An empty home with a project folder; removed at the end. */
export async function emptyHome() {
  const root = await mkdtemp(join(tmpdir(), "qm-start-"))
  const place = { home: join(root, "home"), cwd: join(root, "p") }
  for (const folder of [place.home, place.cwd]) await mkdir(folder)
  return {
    root,
    ...place,
    async [Symbol.asyncDispose]() {
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
