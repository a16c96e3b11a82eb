import type { Environment } from "#ground/base"
import type { Answer, Dialect, Question } from "../models/model.ts"
import type { StoryAction, StoryFolder } from "../scene.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Maps an event name to the host setting that blocks its hook. */
export type Reasons = (event: string) => string | undefined

export type ToldHost = {
  readonly dialect: Dialect
  answer(deed: StoryAction, question: Question, scene: StoryFolder): Answer
  command(stage: Stage): Promise<{ readonly args: readonly string[]; readonly env: Environment }>
  reasons(stage: Stage): Promise<Reasons>
  sweep(stage: Stage): Promise<void>
}

export type Stage = {
  readonly program: string
  readonly scene: StoryFolder
  readonly modelUrl: string
  readonly folder: string
  readonly environment: Variables
  readonly trustHooks: boolean
  readonly signal: AbortSignal
}

/**
 * Even with a custom model a host connects elsewhere for updates and plugins. All such requests go
 * to the scripted model as a proxy, which closes the connection.
 */
export function shutIn(modelUrl: string): Readonly<Record<string, string>> {
  const upper = {
    HTTP_PROXY: modelUrl,
    HTTPS_PROXY: modelUrl,
    ALL_PROXY: modelUrl,
    NO_PROXY: "127.0.0.1",
  }
  const lower = Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value] as const)
  return { ...upper, ...Object.fromEntries(lower) }
}

/** Variables that any program needs, and the folders of the hosts and of qm; no keys. */
export const HANDED_ON = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LC_ALL",
  "QM_HOME",
  "CLAUDE_CONFIG_DIR",
  "CODEX_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "Path",
  "PATHEXT",
  "SystemRoot",
  "ComSpec",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
] as const
