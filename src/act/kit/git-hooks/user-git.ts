import path from "node:path"
import { type Environment, pickEnvironment, run, statFile } from "#ground/base"
import type { Repository } from "#see/repo"

const GIT_OUTPUT_BYTES = 8 * 1_048_576

const GIT_TIMEOUT_MS = 10_000

/**
 * Git with the user's own config, so that a hook sees the same repository as the git around it.
 * Only plumbing commands that start no other program.
 */
export type UserGit = {
  /** Absolute path; never a program from inside the project. */
  readonly file: string
  readonly repository: Repository
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

export type GitAnswer = { readonly code: number; readonly output: Buffer }

type GitCommand = {
  readonly args: readonly string[]
  readonly input?: string | Uint8Array
  readonly env?: Environment
}

/** Undefined if git did not exit by itself or its output was too long. */
export async function askUserGit(
  git: UserGit,
  command: GitCommand,
): Promise<GitAnswer | undefined> {
  const { root, gitDirectory } = git.repository
  const repositoryEnv =
    gitDirectory === undefined ? {} : { GIT_DIR: gitDirectory, GIT_WORK_TREE: root }
  const outcome = await run(git.file, command.args, {
    cwd: root,
    env: {
      ...pickEnvironment(git.environment, HANDED_ON),
      ...repositoryEnv,
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_LAZY_FETCH: "1",
      LC_ALL: "C",
      ...command.env,
    },
    signal: git.signal,
    timeoutMs: GIT_TIMEOUT_MS,
    maxOutputBytes: GIT_OUTPUT_BYTES,
    ...(command.input === undefined ? {} : { input: command.input }),
  })
  if (outcome.kind !== "exited" || outcome.truncated) return undefined
  return { code: outcome.code, output: outcome.stdout }
}

export async function askLine(
  git: UserGit,
  ...args: readonly string[]
): Promise<string | undefined> {
  const answer = await askUserGit(git, { args })
  const line = answer?.code === 0 ? answer.output.toString().replace(/\n$/, "") : ""
  return line === "" ? undefined : line
}

const HANDED_ON = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "SystemRoot",
  "USERPROFILE",
]

/** For commands that read the index: prevents programs named in the config from starting. */
export const QUIET: readonly string[] = [
  "--literal-pathspecs",
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null"].flatMap((it) => ["-c", it]),
]

/**
 * During a merge, rebase, cherry-pick or revert the user does not write the commit, so we add no
 * files to it.
 */
export async function checkGitBusy(gitDirectory: string): Promise<boolean> {
  for (const name of SIGNS) {
    if ((await statFile(path.join(gitDirectory, name))).kind === "found") return true
  }
  return false
}

const SIGNS = ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]
