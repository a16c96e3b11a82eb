import type { ProcessIdentity } from "#ground/base"
import type {
  ActivityKind,
  AgentEvent,
  AgentMode,
  AgentType,
  PermissionRule,
} from "#ground/contract"

export type EmittedEvent = {
  readonly event: AgentEvent
  readonly raw?: string
}

export type ProgramSearch =
  | { readonly kind: "found"; readonly program: string; readonly version: string | undefined }
  | { readonly kind: "missing"; readonly hint: string }

export type PermissionQuestion = {
  readonly tool: string
  readonly kind: ActivityKind
  /** JSON or plain text. */
  readonly input: string
  readonly cwd: string
}

export type Verdict = { readonly decision: "allow" | "ask" | "deny"; readonly rule: string }

export type StartOptions = {
  readonly cwd: string
  readonly prompt: string
  readonly mode: AgentMode
  readonly model?: string | undefined
  readonly resume?: string | undefined
  /** For the synthetic agent: JSON lines, or the name of a shipped script. */
  readonly script?: string | undefined
  /** Already filtered by `agentEnvironment()`. */
  readonly environment: Readonly<Record<string, string>>
  readonly program: string
  readonly firstArguments?: readonly string[] | undefined
  readonly signal: AbortSignal
  /** Awaited before the host gets input, so that a crash cannot orphan an unrecorded process. */
  onStarted?(process: ProcessIdentity): Promise<void>
  /** Only these MCP servers of the host; absent means all. */
  readonly sources?: readonly string[] | undefined
  /** Apply it before truncating: half a secret is not recognised. */
  redact?(text: string): string
  /** Evaluated before the mode: a deny rule applies in every mode, and `plan` never allows. */
  verdict?(ask: PermissionQuestion): Verdict | undefined
  /** The deny and ask rules, for a host that cannot ask during a turn. */
  readonly restricting?: readonly PermissionRule[] | "unknown" | undefined
}

/** One prompt without a session, tools or project; nothing is stored. */
export type CompleteOptions = Pick<StartOptions, "prompt" | "model" | "environment" | "program"> & {
  readonly cwd: string
  readonly signal: AbortSignal
}

export type Answer = {
  readonly decision: "allow" | "deny"
  readonly note?: string | undefined
  readonly by?: string | undefined
}

/**
 * `events` ends when the agent has ended; a failure is an `error` event with `isFatal`, never a
 * rejection. After a turn the session waits for `send`, `stop` or the host's end.
 */
export type AgentSession = {
  readonly events: AsyncIterable<EmittedEvent>
  readonly process: ProcessIdentity | undefined
  /** Starts the next turn; during a turn it is refused unless `canSteer`. */
  send(text: string): Promise<void>
  readonly canSteer: boolean
  answer(approvalId: string, answer: Answer): Promise<void>
  setMode(mode: AgentMode): Promise<void>
  interrupt(): Promise<void>
  /** Also ends the whole process group. */
  stop(): Promise<void>
}

export type Agent = {
  readonly type: AgentType
  readonly title: string
  find(options: FindOptions): Promise<ProgramSearch>
  start(options: StartOptions): Promise<AgentSession>
  /** Returns undefined on any failure. */
  complete(options: CompleteOptions): Promise<string | undefined>
}

export type FindOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly projectFolders: readonly string[]
}
