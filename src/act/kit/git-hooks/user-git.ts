import path from "node:path"
import { type Environment, pickEnvironment, run, statFile } from "#ground/base"
import type { Repository } from "#see/repo"

/** Names of all files in conflict, or of all that lie in the memory of a repository. */
const GIT_OUTPUT_BYTES = 8 * 1_048_576

/** A merge of 5,000 files takes 7 ms; who waits longer than this shall not wait for us. */
const GIT_TIMEOUT_MS = 10_000

/**
 * Git in a repository that a person works in, with that person's config: a hook must see what the
 * git around it sees. Only plumbing is asked that starts nothing by itself.
 */
export type UserGit = {
  /** Absolute; one that did not come with the project. */
  readonly file: string
  readonly repository: Repository
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

export type GitAnswer = { readonly code: number; readonly output: Buffer }

type GitCommand = {
  readonly args: readonly string[]
  readonly input?: string | Uint8Array
  /** Beside what is always set. */
  readonly env?: Environment
  /** A git folder of ours to ask in, instead of the repository. */
  readonly view?: { readonly directory: string; readonly env: Environment }
}

/** Undefined when it did not come to an end of its own or said more than is read. */
export async function askUserGit(git: UserGit, asked: GitCommand): Promise<GitAnswer | undefined> {
  const { root, gitDirectory } = git.repository
  const place = gitDirectory === undefined ? {} : { GIT_DIR: gitDirectory, GIT_WORK_TREE: root }
  const outcome = await run(git.file, asked.args, {
    cwd: asked.view?.directory ?? root,
    env: {
      ...pickEnvironment(git.environment, HANDED_ON),
      ...(asked.view?.env ?? place),
      GIT_TERMINAL_PROMPT: "0",
      GIT_NO_LAZY_FETCH: "1",
      LC_ALL: "C",
      ...asked.env,
    },
    signal: git.signal,
    timeoutMs: GIT_TIMEOUT_MS,
    maxOutputBytes: GIT_OUTPUT_BYTES,
    ...(asked.input === undefined ? {} : { input: asked.input }),
  })
  if (outcome.kind !== "exited" || outcome.truncated) return undefined
  return { code: outcome.code, output: outcome.stdout }
}

/** What git said on one line; undefined when it said nothing or failed. */
export async function askLine(
  git: UserGit,
  ...args: readonly string[]
): Promise<string | undefined> {
  const answer = await askUserGit(git, { args })
  const line = answer?.code === 0 ? answer.output.toString().replace(/\n$/, "") : ""
  return line === "" ? undefined : line
}

/** Where a person's config lies, and what the system needs to start a program. */
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

/** For commands that look at the index: nothing that a config names is started on the way. */
export const QUIET: readonly string[] = [
  "--literal-pathspecs",
  ...["core.fsmonitor=false", "core.hooksPath=/dev/null"].flatMap((it) => ["-c", it]),
]

/**
 * Whether git is in the middle of something: then commits are not written by a person from
 * nothing, and files of ours in them would only be in the way.
 */
export async function checkGitBusy(gitDirectory: string): Promise<boolean> {
  for (const name of SIGNS) {
    if ((await statFile(path.join(gitDirectory, name))).kind === "found") return true
  }
  return false
}

const SIGNS = ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]
