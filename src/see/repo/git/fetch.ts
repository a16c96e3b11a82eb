import { type Environment, pickEnvironment, run, visibleLine } from "#ground/base"
import type { Repository } from "../repo.ts"

/** Only the end of git's output is useful for debugging. */
const FETCH_OUTPUT_BYTES = 64_000

const LONGEST_REASON_UNITS = 200

type Variables = Readonly<Record<string, string | undefined>>

type FetchOutcome =
  | { readonly kind: "fetched" }
  | { readonly kind: "failed"; readonly reason: string }

/**
 * Fetches from a remote, by default the one of the branch. It never prompts and ends by itself.
 * Everything in the repository's config that could make git execute a program is switched off;
 * credentials come only from the user's config.
 */
export async function fetchRemote(options: {
  /** Absolute path of git. */
  readonly file: string
  readonly repository: Pick<Repository, "root">
  readonly environment: Variables
  readonly timeoutMs: number
  readonly remote?: string
  readonly signal?: AbortSignal
}): Promise<FetchOutcome> {
  const { file, repository, environment, timeoutMs, remote, signal } = options
  if (remote?.startsWith("-") === true) return failed("the name of the remote starts with -")
  const bounds = {
    cwd: repository.root,
    timeoutMs,
    maxOutputBytes: FETCH_OUTPUT_BYTES,
    ...(signal === undefined ? {} : { signal }),
  }
  const plain = plainEnvironment(environment)
  const listing = await run(file, ASK_SETTINGS, { ...bounds, env: plain })
  const output = listing.kind === "exited" ? listing.stdout.toString("utf8") : ""
  if (isRemoteGroup(output, remote)) return failed(`${remote} is a group of remotes`)
  const env = { ...plain, ...fetchEnvironment(userSettings(output)) }
  const named = remote === undefined ? [] : ["--no-multiple", "--", remote]
  const outcome = await run(file, [...FETCH, ...named], { ...bounds, env })
  if (outcome.kind === "exited" && outcome.code === 0) return { kind: "fetched" }
  if (outcome.kind === "timed-out")
    return failed(`no answer within ${Math.round(timeoutMs / 1_000)} s`)
  const stderr = outcome.kind === "exited" ? outcome.stderr.toString("utf8") : outcome.kind
  const lines = stderr.split("\n").filter((line) => line.trim() !== "")
  return failed(lines.find((line) => line.startsWith("fatal:")) ?? lines.at(-1) ?? "git failed")
}

function failed(reason: string): FetchOutcome {
  return { kind: "failed", reason: visibleLine(reason).slice(0, LONGEST_REASON_UNITS) }
}

const ASK_SETTINGS = [
  "config",
  "--null",
  "--show-scope",
  "--get-regexp",
  "^(credential\\..*|core\\.sshcommand|remotes\\..*)$",
]

const FETCH = [
  "--no-pager",
  "fetch",
  "--quiet",
  "--no-recurse-submodules",
  "--no-auto-maintenance",
  "--upload-pack=git-upload-pack",
]

/**
 * A name may mean a group of remotes, and git starts another fetch for each of them, without our
 * options: the repository's config could then name the program to run.
 */
function isRemoteGroup(output: string, remote: string | undefined): boolean {
  const key = `remotes.${remote?.toLowerCase()}\n`
  return output.split("\0").some((word) => word.toLowerCase().startsWith(key))
}

function plainEnvironment(environment: Variables): Environment {
  return {
    ...pickEnvironment(environment, PROGRAM_VARIABLES),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    // A lazy fetch of a partial clone would run in a nested git with the repository's config.
    GIT_NO_LAZY_FETCH: "1",
    // Set and empty, so that git runs no program and looks for no other one.
    GIT_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
  }
}

type EnvironmentSetting = { readonly key: string; readonly value: string }

/** Only credentials of the system and the user; the repository's come from its author. */
export function userSettings(output: string): readonly EnvironmentSetting[] {
  const words = output.split("\0")
  const settings: EnvironmentSetting[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, entry = ""] = words.slice(at, at + 2)
    const [key = "", ...value] = entry.split("\n")
    const isOwn = scope === "system" || scope === "global"
    if (isOwn && !key.startsWith("remotes.")) settings.push({ key, value: value.join("\n") })
  }
  return settings
}

/**
 * As variables, because a value may contain what a command line would split; the last setting
 * counts.
 */
function fetchEnvironment(own: readonly EnvironmentSetting[]): Environment {
  const ssh = own.findLast((it) => it.key === "core.sshcommand")?.value
  const settings = [...SWITCHED_OFF, ...own.filter((it) => it.key.startsWith("credential."))]
  const numbered: Record<string, string> = {}
  for (const [index, { key, value }] of settings.entries()) {
    numbered[`GIT_CONFIG_KEY_${index}`] = key
    numbered[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return {
    ...numbered,
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_ALLOW_PROTOCOL: "https:http:ssh:file",
    GIT_SSH_COMMAND: `${ssh ?? "ssh"} -o BatchMode=yes`,
  }
}

const SWITCHED_OFF: readonly EnvironmentSetting[] = [
  { key: "core.hooksPath", value: "/dev/null" },
  { key: "core.fsmonitor", value: "false" },
  { key: "core.alternateRefsCommand", value: "true" },
  // For another remote, the repository's config could name the program.
  { key: "fetch.all", value: "false" },
  { key: "http.saveCookies", value: "false" },
  { key: "gc.auto", value: "0" },
  { key: "maintenance.auto", value: "false" },
  // Clears the list of helpers; the user's own follow.
  { key: "credential.helper", value: "" },
  { key: "credential.interactive", value: "false" },
]

/**
 * Variables that programs need to find their files and the network; a host's keys are not among
 * them.
 */
export const PROGRAM_VARIABLES: readonly string[] = [
  "PATH",
  "Path",
  "HOME",
  "USERPROFILE",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "XDG_CONFIG_HOME",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
  "SYSTEMROOT",
  "SystemRoot",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
]
