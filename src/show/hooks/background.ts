import path from "node:path"
import type { BackgroundWork } from "#choose/guard"
import {
  createFile,
  type Environment,
  launch,
  listDirectory,
  parseJsonRecord,
  pickEnvironment,
  readTextBounded,
  removeFile,
  run,
  statFile,
} from "#ground/base"
import { findGitProgram } from "#see/repo"
import { enrolledRepository } from "./judge.ts"

/** At most one attempt in this time, whether it succeeds or not. */
export const FETCH_EVERY_MS = 10 * 60_000

/** A longer fetch waits for a network that is not reachable. */
const FETCH_TIMEOUT_MS = 60_000

/** Only the end of git's output is useful for debugging. */
const FETCH_OUTPUT_BYTES = 64_000

const RUNTIME_FILE_BYTES = 16_000

type Variables = Readonly<Record<string, string | undefined>>

type BackgroundDeps = {
  readonly node: string
  readonly self: string
  readonly home: string
  readonly environment: Variables
}

export async function startInBackground(
  work: BackgroundWork,
  root: string,
  deps: BackgroundDeps,
): Promise<void> {
  const args =
    work.kind === "fetch" ? fetchArguments(root, deps) : await qmArguments(WORDS[work.kind], deps)
  if (args === undefined) return
  const own = Object.keys(deps.environment).filter((it) => it.startsWith("QM_"))
  const env = pickEnvironment(deps.environment, [...NEEDED_VARIABLES, ...own])
  await launch(deps.node, args, { cwd: root, env })
}

function fetchArguments(root: string, { self }: BackgroundDeps): readonly string[] {
  return [self, "--afterwards", "fetch", root]
}

/** `qm cost` indexes new lines of transcripts if the user agreed to that. */
const WORDS = { "index-daemon": ["keep"], import: ["cost", "--json"] } as const

/** `qm init` records where the rest of the product is; without it nothing is started. */
async function qmArguments(
  words: readonly string[],
  { home }: BackgroundDeps,
): Promise<readonly string[] | undefined> {
  const file = path.join(home, "kit", "runtime.json")
  const outcome = await readTextBounded(file, { maxBytes: RUNTIME_FILE_BYTES })
  const qm = outcome.kind === "read" ? programIn(outcome.text) : undefined
  return qm === undefined ? undefined : [qm, ...words]
}

function programIn(text: string): string | undefined {
  const qm = parseJsonRecord(text)?.["qm"]
  return typeof qm === "string" && path.isAbsolute(qm) ? qm : undefined
}

/**
 * Fetches from the branch's remote, once in ten minutes for all sessions and worktrees. It never
 * prompts and ends by itself. Everything in the repository's config that could make git execute a
 * program is switched off; credentials come only from the user's config.
 */
export async function fetchIfDue(
  root: string,
  deps: { readonly environment: Variables; readonly now: number },
): Promise<"fetched" | "failed" | "skipped"> {
  const repository = await enrolledRepository(root)
  if (repository === undefined) return "skipped"
  const git = await findGitProgram({
    environment: deps.environment,
    outside: repository.root,
  })
  if (git === undefined) return "skipped"
  if (!(await tryTakeTurn(repository.stateDirectory, deps.now))) return "skipped"
  const bounds = {
    cwd: repository.root,
    timeoutMs: FETCH_TIMEOUT_MS,
    maxOutputBytes: FETCH_OUTPUT_BYTES,
  }
  const plain = plainEnvironment(deps.environment)
  const outcome = await run(git, ASK_SETTINGS, { ...bounds, env: plain })
  const output = outcome.kind === "exited" ? outcome.stdout.toString("utf8") : ""
  const env = { ...plain, ...fetchEnvironment(userSettings(output)) }
  const fetched = await run(git, FETCH, { ...bounds, env })
  return fetched.kind === "exited" && fetched.code === 0 ? "fetched" : "failed"
}

const ASK_SETTINGS = [
  "config",
  "--null",
  "--show-scope",
  "--get-regexp",
  "^(credential\\..*|core\\.sshcommand)$",
]

const FETCH = [
  "--no-pager",
  "fetch",
  "--quiet",
  "--no-recurse-submodules",
  "--no-auto-maintenance",
  "--upload-pack=git-upload-pack",
]

function plainEnvironment(environment: Variables): Environment {
  return {
    ...pickEnvironment(environment, NEEDED_VARIABLES),
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

/** Only system and user settings; the repository's come from its author. */
export function userSettings(output: string): readonly EnvironmentSetting[] {
  const words = output.split("\0")
  const settings: EnvironmentSetting[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, entry = ""] = words.slice(at, at + 2)
    const [key = "", ...value] = entry.split("\n")
    const isOwn = scope === "system" || scope === "global"
    if (isOwn) settings.push({ key, value: value.join("\n") })
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
 * Time is divided into windows with one file each, which only one process can create; a process
 * early in a window also checks the previous one. So no file is ever taken over, and it does not
 * matter whether the fetch succeeded, failed or crashed.
 */
export async function tryTakeTurn(stateDirectory: string, now: number): Promise<boolean> {
  const window = Math.floor(now / FETCH_EVERY_MS)
  const before = await statFile(path.join(stateDirectory, nameOf(window - 1)))
  const ageMs = before.kind === "found" ? now - before.stat.modifiedAtMs : FETCH_EVERY_MS
  if (ageMs < FETCH_EVERY_MS) return false
  const { kind } = await createFile(path.join(stateDirectory, nameOf(window)))
  if (kind === "created") await sweep(stateDirectory, window)
  return kind === "created"
}

function nameOf(window: number): string {
  return `fetch-${window}`
}

async function sweep(stateDirectory: string, window: number): Promise<void> {
  const listed = await listDirectory(stateDirectory)
  if (listed.kind !== "listed") return
  for (const { name } of listed.entries) {
    const number = /^fetch-(\d+)$/.exec(name)?.[1]
    const isOld = number !== undefined && Number(number) < window - 1
    if (isOld) await removeFile(path.join(stateDirectory, name))
  }
}

/**
 * Variables that programs need to find their files and the network; a host's keys are not among
 * them.
 */
const NEEDED_VARIABLES: readonly string[] = [
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
