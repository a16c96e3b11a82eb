import type {
  AgentMode,
  KbContradictions,
  KbFound,
  KbParagraph,
  KbTrace,
  KbVerification,
  KbWeb,
} from "#ground/contract"

/** What stages use of the knowledge base. */
export type KnowledgePort = {
  search(
    input: { readonly query: string; readonly limit: number; readonly hops: number },
    context: { readonly signal: AbortSignal },
  ): Promise<KbFound>
  hop(input: {
    readonly paragraphs: string[]
    readonly depth: number
    readonly limit: number
  }): Promise<KbFound>
  trace(input: {
    readonly paragraphs: string[]
    readonly depth: number
    readonly limit: number
  }): Promise<KbTrace>
  /** Those that are still there, in the order asked for. */
  paragraphs(ids: readonly string[]): Promise<readonly KbParagraph[]>
}

/** A text that an answer cites by its label. */
export type Cited = { readonly label: string; readonly text: string; readonly id: string }

/** Undefined: nobody judged, the words alone count. */
export type Judge = (sentence: string, evidence: string) => Promise<boolean | undefined>

/** The four verifications, as know/knowledge gives them. */
export type Verifications = {
  entityGrounding(answer: string, cited: readonly Cited[]): KbVerification
  citationAccuracy(answer: string, cited: readonly Cited[], judge?: Judge): Promise<KbVerification>
  relationPreservation(
    answer: string,
    cited: readonly Cited[],
    edges?: readonly { readonly from: string; readonly to: string }[],
  ): KbVerification
  findContradictions(answer: string, against?: readonly string[]): KbContradictions
}

/** Never throws for a source's failure: its `note` says what is wrong. */
export type WebSearch = (ask: {
  readonly query: string
  readonly limit: number
  /** A source by name; undefined: the one that is set up for it. */
  readonly source: string | undefined
  readonly signal: AbortSignal
}) => Promise<KbWeb>

export type AgentStart = {
  /** Undefined: the one that is set up for pipelines. */
  readonly type: string | undefined
  readonly prompt: string
  readonly mode: AgentMode
  /** Files it may change, as globs; none: all. */
  readonly paths: readonly string[]
  readonly title: string
  readonly budgetUsd: number | undefined
  /** What the synthetic agent plays; others do not see it. */
  readonly script: string | undefined
  readonly signal: AbortSignal
}

export type AgentEnd = {
  readonly runId: string
  readonly outcome: "completed" | "failed" | "stopped"
  /** Its last words. */
  readonly text: string
  readonly usd: number | null
  readonly tokens: number
}

export type StagePorts = {
  readonly knowledge: KnowledgePort
  readonly verify: Verifications
  readonly web: WebSearch
  startAgent(start: AgentStart): Promise<AgentEnd>
  /** The counter of tokens, once its tables are loaded. */
  count(): Promise<(text: string) => number>
}
