import { type Environment, pickEnvironment, run } from "#ground/base"
import { findGitProgram } from "#see/repo"
import { FETCH_OUTPUT_BYTES, FETCH_TIMEOUT_MS } from "../limits.ts"
import { enrolledRepository } from "../world.ts"
import { takeTurn } from "./turn.ts"
import { NEEDED_VARIABLES } from "./variables.ts"

export type FetchOutcome =
  | { readonly kind: "fetched" }
  | { readonly kind: "failed" }
  | { readonly kind: "left" }

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Fetches from where the branch comes from, once in ten minutes for all sessions and worktrees. It
 * asks nobody anything and ends by itself. What a repository's own settings could make git execute
 * is switched off; the user's credentials are taken from the user's settings alone.
 */
export async function fetchOnce(
  root: string,
  deps: { readonly environment: Variables; readonly now: number },
): Promise<FetchOutcome> {
  const repository = await enrolledRepository(root)
  if (repository === undefined) return { kind: "left" }
  const git = await findGitProgram({
    environment: deps.environment,
    outside: repository.root,
  })
  if (git === undefined) return { kind: "left" }
  if (!(await takeTurn(repository.stateDirectory, deps.now))) return { kind: "left" }
  const bounds = {
    cwd: repository.root,
    timeoutMs: FETCH_TIMEOUT_MS,
    maxOutputBytes: FETCH_OUTPUT_BYTES,
  }
  const plain = plainEnvironment(deps.environment)
  const asked = await run(git, ASK_SETTINGS, { ...bounds, env: plain })
  const said = asked.kind === "exited" ? asked.stdout.toString("utf8") : ""
  const env = { ...plain, ...fetchEnvironment(userSettings(said)) }
  const fetched = await run(git, FETCH, { ...bounds, env })
  return { kind: fetched.kind === "exited" && fetched.code === 0 ? "fetched" : "failed" }
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
    // What a partial clone would fetch later, a git started by git would, by the repository's word.
    GIT_NO_LAZY_FETCH: "1",
    // Set and empty: none is run, and none is looked for elsewhere.
    GIT_ASKPASS: "",
    SSH_ASKPASS_REQUIRE: "never",
    GCM_INTERACTIVE: "never",
  }
}

type Setting = { readonly key: string; readonly value: string }

/** Those of the system and of the user; a repository's are of whoever made it. */
export function userSettings(said: string): readonly Setting[] {
  const words = said.split("\0")
  const settings: Setting[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, entry = ""] = words.slice(at, at + 2)
    const [key = "", ...value] = entry.split("\n")
    const isOwn = scope === "system" || scope === "global"
    if (isOwn) settings.push({ key, value: value.join("\n") })
  }
  return settings
}

/** As variables, since a name may hold what a command line would split; the last word counts. */
function fetchEnvironment(own: readonly Setting[]): Environment {
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

const SWITCHED_OFF: readonly Setting[] = [
  { key: "core.hooksPath", value: "/dev/null" },
  { key: "core.fsmonitor", value: "false" },
  { key: "core.alternateRefsCommand", value: "true" },
  // Of another remote the word for its program would be the repository's.
  { key: "fetch.all", value: "false" },
  { key: "http.saveCookies", value: "false" },
  { key: "gc.auto", value: "0" },
  { key: "maintenance.auto", value: "false" },
  // Empties the list of all that was said before; what the user has follows it.
  { key: "credential.helper", value: "" },
  { key: "credential.interactive", value: "false" },
]
