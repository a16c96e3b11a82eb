import path from "node:path"
import { FileNotReadable, isAppError, realPath, statFile, visible } from "#ground/base"
import type { GitHookName } from "#ground/contract"
import { commitMsg } from "./commit-msg.ts"
import { CommitMessageRefused, PushConflicts } from "./errors.ts"
import { REFUSED_CODE } from "./limits.ts"
import { preCommit } from "./pre-commit.ts"
import { type PushNotes, prePush } from "./pre-push.ts"
import type { UserGit } from "./user-git.ts"

const GIT_HOOKS_LEVEL = 3

export type GitHookCall = {
  readonly args: readonly string[]
  readonly stdin: string
  readonly level: number
  /** `kit.fetch`: whether `pre-push` may fetch first. */
  readonly mayFetch: boolean
}

export type GitHookAnswer = { readonly code: number; readonly stderr: string }

/** Never throws: only a rejection stops git. */
export async function runGitHook(
  name: GitHookName,
  git: UserGit,
  call: GitHookCall,
): Promise<GitHookAnswer> {
  const isDebugged = (git.environment["QM_HOOK_DEBUG"] ?? "") !== ""
  const say = (note: string) => (isDebugged ? `qm ${name}: ${visible(note)}\n` : "")
  try {
    const silent = await reasonForSilence(name, git, call)
    if (silent !== undefined) return { code: 0, stderr: say(silent) }
    const { warning, note } = await runNamed(name, git, call)
    const warned =
      warning === undefined ? "" : `qm: compared with the last fetch, because ${visible(warning)}\n`
    return { code: 0, stderr: warned + (note === undefined ? "" : say(note)) }
  } catch (error) {
    const isRefusal = CommitMessageRefused.is(error) || PushConflicts.is(error)
    if (!isRefusal) return { code: 0, stderr: say(failureNote(error)) }
    const { message, hint, code } = error
    return { code: REFUSED_CODE, stderr: `qm: ${visible(message)}\n  → ${hint}  [${code}]\n` }
  }
}

async function runNamed(
  name: GitHookName,
  git: UserGit,
  { args, stdin, mayFetch }: GitHookCall,
): Promise<PushNotes> {
  switch (name) {
    case "pre-commit":
      return { warning: undefined, note: await preCommit(git) }
    case "commit-msg":
      return { warning: undefined, note: await commitMsg(git, args[0]) }
    case "pre-push":
      return await prePush(git, { remote: args[0] ?? "", stdin, mayFetch })
    default:
      return name satisfies never
  }
}

async function reasonForSilence(
  name: GitHookName,
  git: UserGit,
  { level }: GitHookCall,
): Promise<string | undefined> {
  const skipped = (git.environment["QM_SKIP"] ?? "").split(",").map((it) => it.trim())
  if (skipped.includes(name)) return "skipped by QM_SKIP"
  if (level < GIT_HOOKS_LEVEL) return `level ${level} has no git hooks`
  const enrolled = await statFile(path.join(git.repository.stateDirectory, "kit.json"))
  if (enrolled.kind !== "found") return "the kit is not installed in this repository"
  if (!(await isSameRepository(git)))
    return "git works in a repository other than the one around this folder"
  return undefined
}

/** With `--git-dir` git may work in a repository other than the one around the folder. */
async function isSameRepository({ environment, repository }: UserGit): Promise<boolean> {
  const gitDirectory = environment["GIT_DIR"]
  if (gitDirectory === undefined || gitDirectory === "") return true
  try {
    return (await realPath(path.resolve(repository.root, gitDirectory))) === repository.gitDirectory
  } catch (error) {
    if (FileNotReadable.is(error)) return false
    throw error
  }
}

function failureNote(error: unknown): string {
  if (isAppError(error)) return `${error.message} [${error.code}]`
  return error instanceof Error ? error.message : String(error)
}
