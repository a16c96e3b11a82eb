import type { ProcessIdentity } from "#ground/base"
import type { AgentEvent, AgentMode, AgentType } from "#ground/contract"

/** A line of an agent, mapped; `raw` is the host's own word for whoever wants to see it. */
export type Heard = {
  readonly event: AgentEvent
  /** As the host wrote it, one JSON text; absent where we made the event ourselves. */
  readonly raw?: string
}

/** The program of an agent on this machine, found once and outside the repository. */
export type Found =
  | { readonly kind: "found"; readonly program: string; readonly version: string | undefined }
  | { readonly kind: "missing"; readonly hint: string }

export type StartOptions = {
  readonly cwd: string
  readonly prompt: string
  readonly mode: AgentMode
  readonly model?: string | undefined
  /** The host's session to go on with. */
  readonly resume?: string | undefined
  /** For the synthetic agent: JSON lines, or the name of a shipped script. */
  readonly script?: string | undefined
  /** What the child sees of the environment; already picked by an allow-list. */
  readonly environment: Readonly<Record<string, string>>
  readonly program: string
  readonly signal: AbortSignal
}

export type Answer = {
  readonly decision: "allow" | "deny"
  /** What the agent is told when it is denied. */
  readonly note?: string | undefined
  /** Who answered, as `approval.resolved` tells it. */
  readonly by?: string | undefined
}

/**
 * One agent at work. `events` ends when the agent has ended; whatever goes wrong inside is an
 * `error` event with `isFatal`, never a throw. A turn that ended does not end the session: it waits
 * for the next `send`, until `stop` or until the host ends by itself.
 */
export type AgentSession = {
  readonly events: AsyncIterable<Heard>
  /** Of the child, so that it can be told from another process with the same number. */
  readonly process: ProcessIdentity | undefined
  /** The next turn; while one runs, the host takes it in when it can (`steer`) or refuses. */
  send(text: string): Promise<void>
  /** Whether a text can be given to the running turn. */
  readonly canSteer: boolean
  answer(approvalId: string, answer: Answer): Promise<void>
  setMode(mode: AgentMode): Promise<void>
  /** End the running turn and keep the session. */
  interrupt(): Promise<void>
  /** End the session and the whole process group. */
  stop(): Promise<void>
}

/** One kind of agent: a port with several real implementations and one conformance suite. */
export type Agent = {
  readonly type: AgentType
  readonly title: string
  find(options: FindOptions): Promise<Found>
  start(options: StartOptions): Promise<AgentSession>
}

export type FindOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Programs below these folders came with the project and are not taken. */
  readonly projectFolders: readonly string[]
}
