import type {
  AgentMode,
  KbContradictions,
  KbParagraph,
  KbSearchResult,
  KbTrace,
  KbVerification,
  KbWeb,
  SourceAnswer,
  SourceTools,
  StageCall,
} from "#ground/contract"

export type KnowledgePort = {
  search(
    input: { readonly query: string; readonly limit: number; readonly hops: number },
    context: { readonly signal: AbortSignal },
  ): Promise<KbSearchResult>
  hop(input: {
    readonly paragraphs: string[]
    readonly depth: number
    readonly limit: number
  }): Promise<KbSearchResult>
  trace(input: {
    readonly paragraphs: string[]
    readonly depth: number
    readonly limit: number
  }): Promise<KbTrace>
  paragraphs(ids: readonly string[]): Promise<readonly KbParagraph[]>
}

export type CitedText = { readonly label: string; readonly text: string; readonly id: string }

/** Undefined if there was no judgement; then only the word check counts. */
export type Judge = (sentence: string, evidence: string) => Promise<boolean | undefined>

export type Verifications = {
  entityGrounding(answer: string, cited: readonly CitedText[]): KbVerification
  citationAccuracy(
    answer: string,
    cited: readonly CitedText[],
    judge?: Judge,
  ): Promise<KbVerification>
  relationPreservation(
    answer: string,
    cited: readonly CitedText[],
    edges?: readonly { readonly from: string; readonly to: string }[],
  ): KbVerification
  findContradictions(answer: string, against?: readonly string[]): KbContradictions
}

/** Does not throw if a source fails: its `note` has the reason. */
export type WebSearch = (ask: {
  readonly query: string
  readonly limit: number
  readonly source: string | undefined
  readonly signal: AbortSignal
}) => Promise<KbWeb>

export type AgentStart = {
  readonly type: string | undefined
  readonly prompt: string
  readonly mode: AgentMode
  /** Globs of files it may change; empty for all. */
  readonly paths: readonly string[]
  readonly title: string
  /** The agent's run counts for the quotas of this person. */
  readonly person: string | undefined
  readonly budgetUsd: number | undefined
  readonly script: string | undefined
  readonly signal: AbortSignal
  /** Called once for each question of the agent that waits for the user. */
  onApproval(approval: { readonly id: string; readonly title: string }): void
}

export type AgentEnd = {
  readonly runId: string
  readonly outcome: "completed" | "failed" | "stopped"
  readonly text: string
  readonly usd: number | null
  readonly tokens: number
}

export type StagePorts = {
  readonly knowledge: KnowledgePort
  readonly verify: Verifications
  readonly web: WebSearch
  /** Rejects if the source is not approved, not available or has no such tool. */
  callTool(call: StageCall, signal: AbortSignal): Promise<Pick<SourceAnswer, "text" | "isError">>
  sourceTools(sources: readonly string[], signal: AbortSignal): Promise<SourceTools>
  startAgent(start: AgentStart): Promise<AgentEnd>
  count(): Promise<(text: string) => number>
}
