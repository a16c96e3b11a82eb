import type { GitHookAnswer } from "#act/kit"
import { GIT_HOOKS, type GitHookName } from "#ground/contract"
import { findGitProgram } from "#see/repo"
import type { App } from "../app.ts"

export type GitHookCall = {
  readonly app: App
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly args: readonly string[]
  readonly stdin: string
}

export function isGitHook(event: string): event is GitHookName {
  return GIT_HOOKS.some((it) => it === event)
}

/** Errors never stop git; only a refusal does. */
export async function answerGitHook(
  name: GitHookName,
  { app, environment, signal, args, stdin }: GitHookCall,
): Promise<GitHookAnswer> {
  const { repository } = app.places
  const file = await findGitProgram({ environment, outside: repository.root })
  if (file === undefined) return { code: 0, stderr: "" }
  const { level, fetch: mayFetch } = app.config().kit
  const { runGitHook } = await import("#act/kit")
  const git = { file, repository, environment, signal }
  return runGitHook(name, git, { args, stdin, level, mayFetch })
}
