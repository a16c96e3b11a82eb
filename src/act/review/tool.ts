import {
  isRecord,
  type JsonRecord,
  makeTemporaryDirectory,
  parseJson,
  pickEnvironment,
  run,
  visibleLine,
} from "#ground/base"
import type { ReviewTool } from "#ground/contract"
import { findUserProgram, PROGRAM_VARIABLES } from "#see/repo"
import { NotLoggedIn, ReviewFailed, ToolMissing, ToolUnknown } from "./errors.ts"

/** A page of fifty pull requests with their files. */
const TOOL_OUTPUT_BYTES = 16 * 1024 ** 2
const TOOL_TIMEOUT_MS = 60_000
const LONGEST_REASON_UNITS = 300

/** A repository on a server, from the address of a remote. */
export type Forge = {
  readonly host: string
  /** Owner and name, or groups and name: `team/shop`. */
  readonly path: string
}

export type ApiRequest = {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: JsonRecord
  /** For an error: "list pull requests". */
  readonly what: string
}

export type ToolCall = (request: ApiRequest) => Promise<unknown>

/** `git@host:team/shop.git`, `ssh://git@host:22/team/shop`, `https://user:key@host/team/shop.git`. */
export function parseRemote(url: string): Forge | undefined {
  const scp = /^(?:[^@/\s]{1,200}@)?([^:/\s]{1,253}):(?!\/)([^\s]{1,1000})$/.exec(url)
  const [host, path] =
    scp === null || url.includes("://") ? partsOf(url) : [scp[1] ?? "", scp[2] ?? ""]
  const name = path
    .split("/")
    .filter((part) => part !== "")
    .join("/")
    .replace(/\.git$/, "")
  const isPlain = /^[A-Za-z0-9.-]+$/.test(host) && /^[\w.-]+(?:\/[\w.-]+)+$/.test(name)
  const hasDots = name.split("/").some((part) => part === "." || part === "..")
  return isPlain && !hasDots ? { host: host.toLowerCase(), path: name } : undefined
}

function partsOf(url: string): readonly [string, string] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isNetwork = ["http:", "https:", "ssh:", "git:"].includes(parsed?.protocol ?? "")
  return parsed === undefined || !isNetwork ? ["", ""] : [parsed.hostname, parsed.pathname]
}

export function toolFor({ host }: Forge, setting: ReviewTool | "auto"): ReviewTool {
  if (setting !== "auto") return setting
  const labels = host.split(".")
  if (host === "bitbucket.org") return "bb"
  if (["codeberg.org", "gitea.com"].includes(host)) return "tea"
  if (labels.includes("github") || labels[0] === "ghe") return "gh"
  if (labels.includes("gitlab")) return "glab"
  if (labels.includes("gitea") || labels.includes("forgejo")) return "tea"
  throw ToolUnknown({ host })
}

type ToolDeps = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Root of the project: a program inside it is not used. */
  readonly outside: string
  readonly signal: AbortSignal
  redact(text: string): Promise<string>
}

/**
 * Finds the user's own program and checks its login. It runs in an empty folder: in the repository
 * it would start git with the repository's config.
 */
export async function openTool(tool: ReviewTool, forge: Forge, deps: ToolDeps): Promise<ToolCall> {
  const { environment, outside } = deps
  const { host } = forge
  const file = await findUserProgram(tool, { environment, outside })
  if (file === undefined) throw ToolMissing({ tool, host })
  const ask = (args: readonly string[], input?: string) => runTool(file, args, { ...deps, input })
  const notLoggedIn = () => NotLoggedIn({ tool, host, command: LOGIN[tool] })
  if (tool === "gh" || tool === "glab") {
    const status = await ask(["auth", "status", "--hostname", host])
    if (status.code !== 0) throw notLoggedIn()
  }
  const login = tool === "tea" ? await giteaLogin(host, ask) : ""
  if (login === undefined) throw notLoggedIn()
  const call: ToolCall = async (request) => {
    const { args, input } = apiArguments(tool, request, { host, login })
    const { code, stdout, stderr } = await ask(args, input)
    const answer = parseJson(tool === "bb" ? stdout.slice(stdout.search(/[[{]/)) : stdout)
    const problem = problemOf(answer)
    if (code === 0 && answer !== undefined && problem === undefined) return answer
    if (
      /\b401\b|not logged in|Look's like you have not set up bb/i.test(
        stderr + (code === 0 ? stdout : ""),
      )
    )
      throw notLoggedIn()
    const text =
      problem ?? (stderr.trim() || (code === 0 ? "the answer is not JSON" : `exit code ${code}`))
    const reason = visibleLine(await deps.redact(text)).slice(0, LONGEST_REASON_UNITS)
    throw ReviewFailed({ tool, what: request.what, reason })
  }
  return call
}

const LOGIN: Readonly<Record<ReviewTool, string>> = {
  gh: "gh auth login",
  glab: "glab auth login",
  bb: "bb auth login",
  tea: "tea login add",
}

function apiArguments(
  tool: ReviewTool,
  { method, path, body }: ApiRequest,
  { host, login }: { readonly host: string; readonly login: string },
): { readonly args: readonly string[]; readonly input?: string } {
  const json = body === undefined ? undefined : JSON.stringify(body)
  const piped = json === undefined ? {} : { input: json }
  const fromStdin = json === undefined ? [] : ["--input", "-"]
  switch (tool) {
    case "gh":
      return { args: ["api", "--hostname", host, "--method", method, ...fromStdin, path], ...piped }
    case "glab": {
      const type = ["--header", "Content-Type: application/json"]
      const flags = ["--hostname", host, "--method", method, ...type, ...fromStdin]
      return { args: ["api", ...flags, path], ...piped }
    }
    case "bb": {
      // It writes headers as `name=value` and takes the body as an argument.
      const flags = ["--method", method, "--header", "Content-Type=application/json"]
      return { args: ["api", ...flags, path, ...(json === undefined ? [] : [json])] }
    }
    case "tea": {
      const data = json === undefined ? [] : ["--data", json]
      return { args: ["api", "--login", login, "--method", method, ...data, path] }
    }
    default:
      return tool satisfies never
  }
}

/** Bitbucket's program exits with 0 for an error; GraphQL answers 200. */
function problemOf(answer: unknown): string | undefined {
  if (!isRecord(answer)) return undefined
  const { errors, error, type } = answer
  if (Array.isArray(errors) && errors.length > 0) return messageIn(errors[0]) ?? "an error"
  return type === "error" ? (messageIn(error) ?? "an error") : undefined
}

function messageIn(value: unknown): string | undefined {
  return isRecord(value) && typeof value["message"] === "string" ? value["message"] : undefined
}

type Ask = (args: readonly string[]) => Promise<ToolOutput>
type ToolOutput = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** The name of the login whose address has this host. */
async function giteaLogin(host: string, ask: Ask): Promise<string | undefined> {
  const { code, stdout } = await ask(["logins", "list", "--output", "json"])
  const logins = code === 0 ? parseJson(stdout) : undefined
  for (const it of Array.isArray(logins) ? logins : []) {
    const [name, url] = isRecord(it) ? [it["name"], it["url"]] : []
    if (typeof name !== "string" || typeof url !== "string" || name.startsWith("-")) continue
    if (URL.canParse(url) && new URL(url).hostname.toLowerCase() === host) return name
  }
  return undefined
}

async function runTool(
  file: string,
  args: readonly string[],
  {
    environment,
    signal,
    input,
  }: Omit<ToolDeps, "outside"> & { readonly input?: string | undefined },
): Promise<ToolOutput> {
  await using folder = await makeTemporaryDirectory()
  const outcome = await run(file, args, {
    cwd: folder.path,
    env: { ...pickEnvironment(environment, [...PROGRAM_VARIABLES, ...TOOL_VARIABLES]), ...QUIET },
    signal,
    timeoutMs: TOOL_TIMEOUT_MS,
    maxOutputBytes: TOOL_OUTPUT_BYTES,
    ...(input === undefined ? {} : { input }),
  })
  signal.throwIfAborted()
  if (outcome.kind === "exited" && !outcome.truncated) {
    const [stdout, stderr] = [outcome.stdout.toString("utf8"), outcome.stderr.toString("utf8")]
    return { code: outcome.code, stdout, stderr }
  }
  const isLong = outcome.kind === "exited"
  const stderr = isLong ? "the answer is too long" : `the program ${outcome.kind}`
  return { code: 1, stdout: "", stderr }
}

/** Where the programs find their config and their tokens. */
const TOOL_VARIABLES = [
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "DBUS_SESSION_BUS_ADDRESS",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "GH_ENTERPRISE_TOKEN",
  "GITHUB_ENTERPRISE_TOKEN",
  "GH_CONFIG_DIR",
  "GITLAB_TOKEN",
  "GITLAB_ACCESS_TOKEN",
  "OAUTH_TOKEN",
  "GLAB_CONFIG_DIR",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
]

/** No prompt, no colour, no search for a newer version. */
const QUIET = {
  NO_COLOR: "1",
  TERM: "dumb",
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  GLAB_CHECK_UPDATE: "false",
  GLAB_SEND_TELEMETRY: "false",
  NO_PROMPT: "1",
}
