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

/** The program of an agent on this machine, outside the repository. */
export type ProgramSearch =
  | { readonly kind: "found"; readonly program: string; readonly version: string | undefined }
  | { readonly kind: "missing"; readonly hint: string }

/** A tool use for which a host asks, as rules see it. */
export type Ask = {
  readonly tool: string
  readonly kind: ActivityKind
  /** What the tool was given, as JSON or text. */
  readonly input: string
  readonly cwd: string
}

/** The answer of the person's rules; `rule` names the one that decided. */
export type Verdict = { readonly decision: "allow" | "ask" | "deny"; readonly rule: string }

export type StartOptions = {
  readonly cwd: string
  readonly prompt: string
  readonly mode: AgentMode
  readonly model?: string | undefined
  /** The host's session to resume. */
  readonly resume?: string | undefined
  /** For the synthetic agent: JSON lines, or the name of a shipped script. */
  readonly script?: string | undefined
  /** Filtered by the allow-list of the agent. */
  readonly environment: Readonly<Record<string, string>>
  readonly program: string
  /** Before the host's own arguments, for this process only. */
  readonly firstArguments?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Awaited before the host gets input: a process that is not noted may be orphaned. */
  onStarted?(process: ProcessIdentity): Promise<void>
  /** Only these MCP servers of the host; absent means all. */
  readonly sources?: readonly string[] | undefined
  /** To be applied before a text is cut: half a secret is not recognised. */
  redact?(text: string): string
  /** Comes before the mode: a denying rule holds in every mode, `plan` never allows. */
  verdict?(ask: Ask): Verdict | undefined
  /** The denying and asking rules, for a host that cannot ask while it works. */
  readonly restricting?: readonly PermissionRule[] | "unknown" | undefined
}

/** One prompt without a session, tools or project; nothing is stored. */
export type CompleteOptions = Pick<StartOptions, "prompt" | "model" | "environment" | "program"> & {
  /** An empty folder of its own. */
  readonly cwd: string
  readonly signal: AbortSignal
}

export type Answer = {
  readonly decision: "allow" | "deny"
  /** The reason that the agent gets when it is denied. */
  readonly note?: string | undefined
  readonly by?: string | undefined
}

/**
 * One agent at work. `events` ends when the agent has ended; a failure is an `error` event with
 * `isFatal`, never a throw. After a turn the session waits for `send`, `stop` or the host's end.
 */
export type AgentSession = {
  readonly events: AsyncIterable<EmittedEvent>
  readonly process: ProcessIdentity | undefined
  /** The next turn; during a turn a host that can be steered takes it, others refuse. */
  send(text: string): Promise<void>
  readonly canSteer: boolean
  answer(approvalId: string, answer: Answer): Promise<void>
  setMode(mode: AgentMode): Promise<void>
  /** Ends the running turn and keeps the session. */
  interrupt(): Promise<void>
  /** Ends the session and the whole process group. */
  stop(): Promise<void>
}

/** One kind of agent: a port with several real implementations and one conformance suite. */
export type Agent = {
  readonly type: AgentType
  readonly title: string
  find(options: FindOptions): Promise<ProgramSearch>
  start(options: StartOptions): Promise<AgentSession>
  /** undefined on any failure. */
  complete(options: CompleteOptions): Promise<string | undefined>
}

export type FindOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Programs below these folders belong to the project and are refused. */
  readonly projectFolders: readonly string[]
}
