import { type Environment, pickEnvironment, run } from "#ground/base"
import { findGitProgram, type Repository } from "#see/repo"
import { GitMissing, WorktreeGitFailed } from "./errors.ts"

const GIT_OUTPUT_BYTES = 32 * 1024 ** 2

/** A checkout of a large repository on a slow disk. */
const GIT_TIMEOUT_MS = 10 * 60_000

const LONGEST_REASON_UNITS = 300

const HANDED_ON = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  "SystemRoot",
  "USERPROFILE",
]

/** No hook of the repository and no monitor runs because of us. */
const QUIET = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "gc.auto=0"].flatMap((it) => [
  "-c",
  it,
])

/** The author of commits that only forecasts need. */
export const FORECAST_AUTHOR: Environment = {
  GIT_AUTHOR_NAME: "Quartermaster",
  GIT_AUTHOR_EMAIL: "qm@localhost",
  GIT_COMMITTER_NAME: "Quartermaster",
  GIT_COMMITTER_EMAIL: "qm@localhost",
}

type GitOptions = { readonly cwd?: string; readonly env?: Environment }
export type GitOutput = {
  readonly code: number
  readonly output: string
  readonly error: string
}

export type WorktreeGit = Awaited<ReturnType<typeof openWorktreeGit>>

/** Git with the user's own config, in any worktree of the repository. */
export async function openWorktreeGit(deps: {
  readonly repository: Repository
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}) {
  const { repository, environment, signal } = deps
  if (repository.gitCommonDirectory === undefined)
    throw GitMissing({ reason: "this folder is not in a git repository" })
  const file = await findGitProgram({ environment, outside: repository.root })
  if (file === undefined) throw GitMissing({ reason: "git was not found on the PATH" })

  async function ask(args: readonly string[], options: GitOptions = {}): Promise<GitOutput> {
    const outcome = await run(file ?? "", [...QUIET, ...args], {
      cwd: options.cwd ?? repository.root,
      env: {
        ...pickEnvironment(environment, HANDED_ON),
        GIT_TERMINAL_PROMPT: "0",
        GIT_EDITOR: "false",
        LC_ALL: "C",
        ...options.env,
      },
      signal,
      timeoutMs: GIT_TIMEOUT_MS,
      maxOutputBytes: GIT_OUTPUT_BYTES,
    })
    signal.throwIfAborted()
    const verb = args.find((it) => !it.startsWith("-")) ?? "git"
    if (outcome.kind === "not-found") throw GitMissing({ reason: `${options.cwd} does not exist` })
    if (outcome.kind === "not-started")
      throw WorktreeGitFailed({ command: verb, reason: outcome.reason })
    if (outcome.kind !== "exited" || outcome.truncated)
      throw WorktreeGitFailed({ command: verb, reason: "it did not finish" })
    return {
      code: outcome.code,
      output: outcome.stdout.toString("utf8"),
      error: outcome.stderr.toString("utf8").trim().slice(-LONGEST_REASON_UNITS),
    }
  }

  /** The output, without its last line break; an error if git fails. */
  async function tell(args: readonly string[], options: GitOptions = {}): Promise<string> {
    const { code, output, error } = await ask(args, options)
    const command = args.slice(0, 2).join(" ")
    if (code !== 0) throw WorktreeGitFailed({ command, reason: error || `exit code ${code}` })
    return output.replace(/\n$/, "")
  }

  return {
    ask,
    tell,
    async commitOf(ref: string, options: GitOptions = {}): Promise<string | undefined> {
      const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]
      const { code, output } = await ask(args, options)
      return code === 0 ? output.trim() : undefined
    },
    async isBranch(name: string): Promise<boolean> {
      const ref = `refs/heads/${name}`
      return (await ask(["show-ref", "--verify", "--quiet", ref])).code === 0
    },
    /** Undefined with a detached head. */
    async branchAt(cwd: string): Promise<string | undefined> {
      const { code, output } = await ask(["symbolic-ref", "--quiet", "--short", "HEAD"], { cwd })
      return code === 0 ? output.trim() : undefined
    },
    async isAncestor(ancestor: string, commit: string): Promise<boolean> {
      return (await ask(["merge-base", "--is-ancestor", ancestor, commit])).code === 0
    },
    async apart(own: string, other: string): Promise<{ ahead: number; behind: number }> {
      const args = ["rev-list", "--left-right", "--count", `${own}...${other}`, "--"]
      const [ahead = 0, behind = 0] = (await tell(args)).split("\t").map(Number)
      return { ahead, behind }
    },
  }
}
