import type { Clock, Random } from "#ground/base"
import type { HookName, KitHost, VerdictKind } from "#ground/contract"
import type { Claims, Classifier, Ledger } from "#know/ledger"

type Base = {
  readonly host: KitHost
  readonly session: string
  readonly directory: string
  readonly at: number
  /** The type of the sub-agent that acts; undefined for the main agent. */
  readonly agent?: string
}

type Edit = {
  readonly tool: string
  readonly paths: readonly string[]
}

/** The text of a tool's output, and the output with another text in the host's own format. */
export type ToolOutput = {
  readonly text: string
  /** Undefined when the host lets no hook replace the output. */
  readonly replaced?: (text: string) => unknown
}

/** The conversation as a host without a transcript file reports it. */
export type ConversationFacts = {
  readonly prompts: readonly string[]
  readonly reads: readonly string[]
  readonly todos: string
}

type Conversation = {
  /** The host's transcript of the session. */
  readonly transcript?: string
  readonly facts?: ConversationFacts
}

export type HookEvent = Base &
  (
    | ({ readonly kind: "session-start"; readonly source: string } & Conversation)
    | ({ readonly kind: "before-compact"; readonly trigger: string } & Conversation)
    | ({ readonly kind: "before-edit" } & Edit)
    | ({
        readonly kind: "before-tool"
        readonly command?: string
        /** Absolute paths that are not below the root of the repository. */
        readonly outside?: readonly string[]
      } & Edit)
    | { readonly kind: "prompt"; readonly prompt: string }
    | ({ readonly kind: "after-edit"; readonly tokens: number } & Edit)
    | ({
        readonly kind: "after-tool"
        readonly tokens: number
        /** Absent for reads of files and for our own tools. */
        readonly output?: ToolOutput
      } & Edit)
    | { readonly kind: "before-agent"; readonly agentType: string; readonly prompt: string }
    | { readonly kind: "agent-start"; readonly agentType: string; readonly agentId: string }
    | {
        readonly kind: "stop"
        /** A hook has already blocked this stop. */
        readonly isAgain: boolean
        readonly isBusy: boolean
      }
    | {
        readonly kind: "loaded"
        readonly file: string
        readonly memoryKind: string
        readonly reason: string
        readonly parent: string | undefined
      }
  )

export type HookEventKind = HookEvent["kind"]

/** `warn` and `context` are text for the agent and do not stop its work. */
export type Verdict = (
  | { readonly kind: "silent" }
  | {
      readonly kind: Exclude<VerdictKind, "silent" | "override">
      readonly text: string
      readonly paths?: readonly string[]
    }
  | { readonly kind: "override"; readonly text: string; readonly paths?: readonly string[] }
) & {
  /** For the log only. */
  readonly note?: string
  /** The output that the agent gets in place of the tool's own, in the host's format. */
  readonly output?: unknown
}

/** Parsed without a package; an invalid setting has its default. */
export type HookConfig = {
  readonly level: number
  readonly mayFetch: boolean
  readonly highRiskPaths: readonly string[]
  readonly ignored: readonly string[] | undefined
  readonly important: readonly string[] | undefined
  readonly registration: readonly string[] | undefined
  /** Output of tools above this size is replaced by a digest; 0 never. */
  readonly largeResultBytes: number
  /** Limits of the user in US dollars; 0 is none. */
  readonly spending: {
    readonly isStop: boolean
    readonly dayUsd: number
    readonly weekUsd: number
    readonly monthUsd: number
  }
}

export type BackgroundWork = { readonly kind: "fetch" | "import" | "index-daemon" }

export type HookContext = {
  readonly root: string
  readonly gitDirectory: string | undefined
  readonly stateDirectory: string
  readonly home: string
  readonly config: HookConfig
  readonly ledger: Ledger
  readonly claims: Claims
  readonly classifier: Classifier
  readonly clock: Pick<Clock, "now">
  readonly random: Random
  /** How long the index daemon may take; a test on a loaded machine gives it more than a hook. */
  readonly longestAskMs?: number
  /** Aborted when the hook must answer immediately. */
  readonly signal: AbortSignal
  afterwards(work: BackgroundWork): void
  /** The host's requests go through the gateway, which has its own means. */
  readonly isProxied?: boolean
  /** Started with `qm hook`, which the log records. */
  readonly isByHand?: boolean
}

export type Rule = {
  readonly name: HookName
  readonly level: number
  readonly kinds: readonly HookEventKind[]
  judge(event: HookEvent, context: HookContext): Promise<Verdict>
}
