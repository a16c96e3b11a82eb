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

/** What git may take at once; the table of all objects of a kernel's history is a tenth of it. */
export const LARGEST_GIT_OBJECT_BYTES = 512 * 1024 ** 2

/** The commands that are ever asked: plumbing that looks at objects and at nothing else. */
type GitCommand = "cat-file" | "ls-tree" | "rev-list"

export type GitProgram = {
  readonly file: string
  readonly view: GitView
  readonly signal: AbortSignal
  /** What a program of this system cannot do without. */
  readonly system: Environment
  readonly timeoutMs: number
  readonly roundBytes: number
}

export type GitAnswer = {
  readonly output: Buffer
  /** True when there was more than is taken; git was ended then. */
  readonly isCut: boolean
}

export type Question = {
  readonly command: GitCommand
  /** Written by us: no word of it comes from a repository but ids that were checked. */
  readonly args: readonly string[]
  readonly input?: string
  readonly maxOutputBytes?: number
}

export async function askGit(program: GitProgram, question: Question): Promise<GitAnswer> {
  const outcome = await run(program.file, [...SETTINGS, question.command, ...question.args], {
    cwd: program.view.directory,
    env: environmentOf(program),
    signal: program.signal,
    timeoutMs: program.timeoutMs,
    maxOutputBytes: question.maxOutputBytes ?? GIT_OUTPUT_LIMIT_BYTES,
    atLimit: "end",
    ...(question.input === undefined ? {} : { input: question.input }),
  })
  return answerOf(outcome, { program, question })
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
      throw GitFailed({ command, said: "it was ended" })
    case "not-found":
      throw GitFailed({ command, said: "the program is gone" })
    case "not-started":
      throw GitFailed({ command, said: outcome.reason })
    default:
      return outcome satisfies never
  }
}

/**
 * What could make git execute something, switched off though our view names none of it. The view
 * is the wall; these stand behind it.
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

/** Written out: nothing of ours is handed on, and no GIT_ variable but these. */
function environmentOf({ view, system }: GitProgram): Environment {
  return {
    ...system,
    GIT_DIR: view.directory,
    GIT_COMMON_DIR: view.directory,
    GIT_OBJECT_DIRECTORY: view.objects,
    ...(view.shallowFile === undefined ? {} : { GIT_SHALLOW_FILE: view.shallowFile }),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    // Git reads a tree or a commit whole before it says anything of it.
    GIT_ALLOC_LIMIT: String(LARGEST_GIT_OBJECT_BYTES),
    HOME: view.directory,
    LC_ALL: "C",
  }
}

function lastLine(stderr: Buffer): string {
  const [last = "nothing"] = stderr.toString().trim().split("\n").slice(-1)
  return visibleLine(last).slice(0, LONGEST_SAYING)
}

/** Enough to know what is wrong; paths and refs in it come from outside. */
const LONGEST_SAYING = 200

/**
 * The first git on the PATH that did not come with the project: npm puts a folder of the project
 * on the PATH, and those of all folders above it, and a repository could bring a program of that
 * name along.
 */
export async function findGitProgram(options: {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly outside: string
}): Promise<string | undefined> {
  const searched = options.environment["PATH"] ?? options.environment["Path"] ?? ""
  const name = process.platform === "win32" ? "git.exe" : "git"
  // A relative entry means another folder in every folder.
  const folders = searched.split(path.delimiter).filter((it) => path.isAbsolute(it))
  for (const folder of folders) {
    const program = await programAt(path.join(folder, name))
    if (program === undefined || isInstalledByNpm(program)) continue
    if (!isInside(options.outside, program)) return program
  }
  return undefined
}

async function programAt(file: string): Promise<string | undefined> {
  try {
    const real = await realPath(file)
    const found = await statFile(real)
    if (found.kind !== "found" || found.what !== "regular file") return undefined
    const isExecutable = process.platform === "win32" || (found.stat.mode & 0o111) !== 0
    return isExecutable ? real : undefined
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return undefined
  }
}

function isInstalledByNpm(program: string): boolean {
  return program.split(path.sep).includes("node_modules")
}
