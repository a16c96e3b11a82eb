import { z } from "zod"
import { isRecord, pickEnvironment, type RunOutcome, run } from "#ground/base"
import { realDisk } from "../files/disk.ts"
import type { AskOptions, AskOutcome, HostPlace, HostReport } from "../host.ts"
import { STATE_LIMIT_BYTES } from "../limits.ts"
import { createSurveyReader, type SurveyReader } from "../survey-reader.ts"
import { type Folders, findFolders } from "./folders.ts"
import { parseSettingsJson, readSettings, type Settings, within } from "./settings.ts"

/** A response with every category is below 200 kB. */
const ASK_OUTPUT_BYTES = 4 * 1024 * 1024

/** The host responds within two seconds on two cores; a cold start from a slow disk takes ten. */
const ASK_TIMEOUT_MS = 20_000

/**
 * Starts Claude Code and queries its context. It runs without hooks, MCP servers and helpers from
 * settings, and with an API address on which nothing listens: no model is called and nothing of the
 * project runs.
 */
export async function ask(place: HostPlace, options: AskOptions): Promise<AskOutcome> {
  const reader = createSurveyReader(realDisk())
  const folders = await findFolders(place, reader)
  const isTrusted = options.trust || (await wasTrusted(folders, reader))
  if (!isTrusted) return { kind: "not-trusted" }
  const settings = await readSettings(folders, reader)
  const outcome = await run(options.program, argumentsFor(settings), {
    cwd: folders.cwd,
    env: environmentFor(place),
    input: QUESTIONS,
    timeoutMs: ASK_TIMEOUT_MS,
    maxOutputBytes: ASK_OUTPUT_BYTES,
    signal: options.signal,
  })
  return readAnswer(outcome, options.now())
}

async function wasTrusted(folders: Folders, reader: SurveyReader): Promise<boolean> {
  const read = { source: "host-state", maxBytes: STATE_LIMIT_BYTES }
  const file = await reader.read(folders.stateFile, read)
  const parsed = parseSettingsJson(file?.bytes.toString() ?? "")
  if (parsed.kind !== "record") return false
  return folders.walk.some(
    (it) => within(parsed.record, "projects", it, "hasTrustDialogAccepted") === true,
  )
}

const QUESTION = "context"

const QUESTIONS = [
  { request_id: "start", request: { subtype: "initialize" } },
  { request_id: QUESTION, request: { subtype: "get_context_usage" } },
]
  .map((it) => `${JSON.stringify({ type: "control_request", ...it })}\n`)
  .join("")

function argumentsFor(settings: Settings): readonly string[] {
  return [
    "-p",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    "--strict-mcp-config",
    "--no-session-persistence",
    `--settings=${JSON.stringify(overrides(settings))}`,
  ]
}

/** The discard port of the loopback, closed on today's machines. */
const NOWHERE = "http://127.0.0.1:9"

const QUIET = {
  ANTHROPIC_BASE_URL: NOWHERE,
  ANTHROPIC_API_KEY: "not-a-key",
  CLAUDE_CODE_MAX_RETRIES: "0",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_ENABLE_TELEMETRY: "0",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
} as const

/** Programs that a settings file may name and the host would run. */
const HELPERS = [
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "gcpAuthRefresh",
  "otelHeadersHelper",
  "proxyAuthHelper",
] as const

/** Variables in settings that decide what is loaded; all others are unset by name. */
const SWITCHES: readonly string[] = [
  "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD",
  "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
  "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
]

function overrides(settings: Settings) {
  const names = settings.layers.flatMap(({ outcome }) => {
    const env = outcome.kind === "found" ? outcome.values["env"] : undefined
    return isRecord(env) ? Object.keys(env) : []
  })
  const variables = names.filter((it) => !SWITCHES.includes(it)).map((it) => [it, ""] as const)
  return {
    disableAllHooks: true,
    ...Object.fromEntries(HELPERS.map((it) => [it, ""])),
    env: { ...Object.fromEntries(variables), ...QUIET },
  }
}

const PASSED_ON = [
  "CLAUDE_CONFIG_DIR",
  "LANG",
  "LC_ALL",
  "PATH",
  "SystemRoot",
  "TEMP",
  "TMP",
  "TMPDIR",
  "USERPROFILE",
  ...SWITCHES,
]

function environmentFor(place: HostPlace) {
  const passed = pickEnvironment(place.environment, PASSED_ON)
  return { ...passed, HOME: place.home, TERM: "dumb", ...QUIET }
}

const Answer = z.object({
  type: z.literal("control_response"),
  response: z.object({
    subtype: z.string(),
    request_id: z.literal(QUESTION),
    error: z.string().optional(),
    response: z
      .object({
        memoryFiles: z.array(z.object({ path: z.string(), tokens: z.number() })),
        categories: z.array(z.object({ name: z.string(), tokens: z.number() })),
        totalTokens: z.number().optional(),
        maxTokens: z.number().optional(),
        model: z.string().optional(),
      })
      .optional(),
  }),
})

function readAnswer(outcome: RunOutcome, at: number): AskOutcome {
  if (!("stdout" in outcome)) return { kind: "failed", reason: notBegun(outcome) }
  const lines = outcome.stdout.toString().split("\n").map(parseSettingsJson)
  const answers = lines.flatMap((line) => {
    const answer = Answer.safeParse(line.kind === "record" ? line.record : undefined)
    return answer.success ? [answer.data.response] : []
  })
  const [answer] = answers
  if (answer === undefined) return { kind: "failed", reason: notAnswered(outcome.kind) }
  if (answer.response === undefined) {
    return { kind: "failed", reason: answer.error ?? "the host refused the request" }
  }
  return { kind: "answered", report: reportOf(answer.response, at) }
}

function reportOf(
  usage: NonNullable<z.infer<typeof Answer>["response"]["response"]>,
  at: number,
): HostReport {
  return {
    by: "host",
    at,
    files: usage.memoryFiles.map(({ path, tokens }) => ({ path, tokens })),
    categories: usage.categories.map(({ name, tokens }) => ({ name, tokens })),
    ...(usage.totalTokens === undefined ? {} : { totalTokens: usage.totalTokens }),
    ...(usage.maxTokens === undefined ? {} : { window: usage.maxTokens }),
    ...(usage.model === undefined ? {} : { model: usage.model }),
  }
}

function notBegun(outcome: Exclude<RunOutcome, { stdout: Buffer }>): string {
  return outcome.kind === "not-found" ? "the program was not found" : outcome.reason
}

function notAnswered(kind: Extract<RunOutcome, { stdout: Buffer }>["kind"]): string {
  switch (kind) {
    case "timed-out":
      return `the host did not respond within ${ASK_TIMEOUT_MS / 1_000} seconds`
    case "aborted":
      return "the query was cancelled"
    case "exited":
    case "signalled":
      return "the host exited without a response"
  }
}
