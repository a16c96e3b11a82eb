import type { Environment } from "#ground/base"
import type { Answer, Dialect, Question } from "../models/model.ts"
import type { Deed, Scene } from "../scene.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** What of the host's own settings stands in the way of a hook, by the name of its event. */
export type Reasons = (event: string) => string | undefined

/** A host that can be made to live through the story. */
export type ToldHost = {
  readonly dialect: Dialect
  /** A deed with the tools that this host offers in its question. */
  answer(deed: Deed, question: Question, scene: Scene): Answer
  /** How it is started; the person's own settings hold, but for the model and what costs. */
  command(stage: Stage): Promise<{ readonly args: readonly string[]; readonly env: Environment }>
  /** Why hooks that are installed may not have run. */
  reasons(stage: Stage): Promise<Reasons>
  /** Takes away what the host laid down under the name of the story's folder. */
  sweep(stage: Stage): Promise<void>
}

export type Stage = {
  readonly program: string
  readonly scene: Scene
  readonly modelUrl: string
  /** Of the host, where its settings lie. */
  readonly folder: string
  readonly environment: Variables
  /** Lets a host run hooks that nobody has reviewed, this one time. */
  readonly trustHooks: boolean
  readonly signal: AbortSignal
}

/**
 * A host that is told of a model still looks for updates, plugins and the like elsewhere. All that
 * is not for this machine goes to the model as if it were a proxy, and the model hangs up.
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

/** What any program needs, and where the hosts and we have our folders; no key of anybody's. */
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
