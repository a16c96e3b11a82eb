import type { ProcessIdentity } from "#ground/base"
import type {
  ActivityKind,
  AgentEvent,
  AgentMode,
  AgentType,
  PermissionRule,
} from "#ground/contract"

/** An event with the host's own line, if the event came from one. */
export type EmittedEvent = {
  readonly event: AgentEvent
  readonly raw?: string
}

/** The program of an agent on this machine, found once and outside the repository. */
export type Found =
  | { readonly kind: "found"; readonly program: string; readonly version: string | undefined }
  | { readonly kind: "missing"; readonly hint: string }

/** What a host asks, as the rules see it. */
export type Ask = {
  readonly tool: string
  readonly kind: ActivityKind
  /** What the tool was given, as JSON or text. */
  readonly input: string
  readonly cwd: string
}

/** What a person's rules say of it; `rule` names the one that decided, in words. */
export type Verdict = { readonly decision: "allow" | "ask" | "deny"; readonly rule: string }

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
  /** In front of the host's own arguments, for this process alone: where its model is, say. */
  readonly firstArguments?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Told, and waited for, before the host gets its first word: what is not noted may be orphaned. */
  onStarted?(process: ProcessIdentity): Promise<void>
  /** Only these MCP servers of the host; absent means all it has. */
  readonly sources?: readonly string[] | undefined
  /** Replaces secrets; to be used before a text is cut, because half a secret is not recognised. */
  redact?(text: string): string
  /** Asked before the mode is: a denying rule holds in every mode, `plan` never allows. */
  verdict?(ask: Ask): Verdict | undefined
  /** The denying and asking rules, for a host that nobody can answer while it works. */
  readonly restricting?: readonly PermissionRule[] | "unknown" | undefined
}

/** One question without a session: nothing is kept, no tool is offered, no project is seen. */
export type CompleteOptions = Pick<StartOptions, "prompt" | "model" | "environment" | "program"> & {
  /** An empty folder of its own. */
  readonly cwd: string
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
  readonly events: AsyncIterable<EmittedEvent>
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
  /** Undefined when the host could not answer: a title is never worth a failure. */
  complete(options: CompleteOptions): Promise<string | undefined>
}

export type FindOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Programs below these folders came with the project and are not taken. */
  readonly projectFolders: readonly string[]
}
