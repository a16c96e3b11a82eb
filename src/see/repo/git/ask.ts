import path from "node:path"
import {
  type Environment,
  FileNotReadable,
  isInside,
  type RunOutcome,
  realPath,
  run,
  statFile,
  visibleLine,
} from "#ground/base"
import { GitFailed, GitTimedOut } from "../errors.ts"
import { GIT_OUTPUT_LIMIT_BYTES } from "../limits.ts"
import type { GitView } from "./view.ts"

/**
 * Limit for one git allocation; the object table of the Linux kernel's history is a tenth of it.
 */
export const LARGEST_GIT_OBJECT_BYTES = 512 * 1024 ** 2

/** Plumbing commands that read objects only; `merge-tree` writes into a view of its own. */
type GitCommand = "cat-file" | "check-attr" | "ls-tree" | "merge-tree" | "rev-list"

export type GitProgram = {
  readonly file: string
  readonly view: GitView
  readonly signal: AbortSignal
  readonly system: Environment
  readonly timeoutMs: number
  readonly roundBytes: number
}

export type GitAnswer = {
  readonly output: Buffer
  /** True if the output exceeded the limit; git was ended. */
  readonly isCut: boolean
}

export type Question = {
  readonly command: GitCommand
  /** Written by us: only checked ids come from a repository. */
  readonly args: readonly string[]
  readonly input?: string
  readonly maxOutputBytes?: number
}

export async function askGit(program: GitProgram, question: Question): Promise<GitAnswer> {
  return answerOf(await runGit(program, question), { program, question })
}

/** For commands whose exit code is an answer. */
export function runGit(program: GitProgram, question: Question): Promise<RunOutcome> {
  return run(program.file, [...SETTINGS, question.command, ...question.args], {
    cwd: program.view.directory,
    env: environmentOf(program),
    signal: program.signal,
    timeoutMs: program.timeoutMs,
    maxOutputBytes: question.maxOutputBytes ?? GIT_OUTPUT_LIMIT_BYTES,
    atLimit: "end",
    ...(question.input === undefined ? {} : { input: question.input }),
  })
}

function answerOf(
  outcome: RunOutcome,
  { program, question }: { readonly program: GitProgram; readonly question: Question },
): GitAnswer {
  const { command } = question
  switch (outcome.kind) {
    case "exited":
    case "signalled":
      if (outcome.truncated) return { output: outcome.stdout, isCut: true }
      if (outcome.kind === "exited" && outcome.code === 0) {
        return { output: outcome.stdout, isCut: false }
      }
      throw GitFailed({ command, said: lastLine(outcome.stderr) })
    case "timed-out":
      throw GitTimedOut({ command, timeoutMs: program.timeoutMs })
    case "aborted":
      program.signal.throwIfAborted()
      throw GitFailed({ command, said: "git was ended" })
    case "not-found":
      throw GitFailed({ command, said: "the git program was not found" })
    case "not-started":
      throw GitFailed({ command, said: outcome.reason })
    default:
      return outcome satisfies never
  }
}

/**
 * Disables everything that could make git execute something. The view already excludes it; this is
 * a second barrier.
 */
const SETTINGS: readonly string[] = [
  "--no-pager",
  "--no-replace-objects",
  "--literal-pathspecs",
  ...[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "safe.bareRepository=explicit",
    "protocol.allow=never",
    "submodule.recurse=false",
    "log.showSignature=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.editor=false",
    "core.pager=cat",
    "credential.helper=",
    "gpg.program=false",
    "gc.auto=0",
    "maintenance.auto=false",
  ].flatMap((setting) => ["-c", setting]),
]

/** Explicit: nothing of our environment is passed on, and only these GIT_ variables are set. */
function environmentOf({ view, system }: GitProgram): Environment {
  return {
    ...system,
    GIT_DIR: view.directory,
    GIT_COMMON_DIR: view.directory,
    GIT_OBJECT_DIRECTORY: view.objects,
    ...(view.shallowFile === undefined ? {} : { GIT_SHALLOW_FILE: view.shallowFile }),
    ...(view.borrowed === undefined
      ? {}
      : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedFolder(view.borrowed) }),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    // Git reads a whole tree or commit into memory before it prints anything.
    GIT_ALLOC_LIMIT: String(LARGEST_GIT_OBJECT_BYTES),
    HOME: view.directory,
    LC_ALL: "C",
  }
}

/** The list is separated by colons; quotes protect a path that contains one. */
function quotedFolder(folder: string): string {
  return `"${folder.replace(/["\\]/g, "\\$&")}"`
}

function lastLine(stderr: Buffer): string {
  const [last = "nothing"] = stderr.toString().trim().split("\n").slice(-1)
  return visibleLine(last).slice(0, LONGEST_SAYING)
}

/** Paths and refs in the message are untrusted. */
const LONGEST_SAYING = 200

type ProgramQuery = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly outside: string
}

/**
 * The first program of that name on the PATH that is outside the project: npm puts folders of the
 * project and its parents on the PATH, and a repository could contain a program of that name.
 */
export async function findUserProgram(
  name: string,
  { environment, outside }: ProgramQuery,
): Promise<string | undefined> {
  const searched = environment["PATH"] ?? environment["Path"] ?? ""
  const file = process.platform === "win32" ? `${name}.exe` : name
  // A relative entry would mean another folder in every directory.
  const folders = searched.split(path.delimiter).filter((it) => path.isAbsolute(it))
  for (const folder of folders) {
    const program = await programAt(path.join(folder, file))
    if (program === undefined || isInstalledByNpm(program)) continue
    if (!isInside(outside, program)) return program
  }
  return undefined
}

export const findGitProgram = (query: ProgramQuery) => findUserProgram("git", query)

async function programAt(file: string): Promise<string | undefined> {
  try {
    const real = await realPath(file)
    const fileStat = await statFile(real)
    if (fileStat.kind !== "found" || fileStat.what !== "regular file") return undefined
    const isExecutable = process.platform === "win32" || (fileStat.stat.mode & 0o111) !== 0
    return isExecutable ? real : undefined
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return undefined
  }
}

function isInstalledByNpm(program: string): boolean {
  return program.split(path.sep).includes("node_modules")
}
