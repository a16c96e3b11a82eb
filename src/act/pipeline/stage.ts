import type { ActivityKind, DepthConfig, Effort, StageConfig } from "#ground/contract"

/** A question to a model as a stage asks it; schema misses are asked again by the engine. */
export type StageAsk = {
  /** What is done, in one line: "compare the plan with what was found". */
  readonly title: string
  readonly instructions: string
  readonly prompt: string
  /** JSON schema of the answer; without one the text itself is the answer. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly effort?: Effort | undefined
  readonly maxOutputTokens?: number | undefined
}

export type StageAnswer = { readonly text: string; readonly value: unknown }

/** Work that is seen as one activity. */
export type StepLabel = {
  /** A name people read: "Knowledge Base Search". */
  readonly tool: string
  readonly kind: ActivityKind
  readonly title: string
}

export type StepDone<Result> = {
  /** Plain JSON: it is kept, and given again after a crash. */
  readonly result: Result
  readonly detail?: string
  readonly tokens?: number
  readonly usd?: number | null
  /** `failed` lets the stage go on without it: a dead source takes no run down. */
  readonly outcome?: "done" | "failed" | "noted"
}

/** It failed and is thrown to the stage, not kept; what it cost counts all the same. */
export type StepFailed = {
  readonly error: Error
  readonly detail?: string
  readonly tokens?: number
  readonly usd: number | null
}

/** What a stage may use of the house; the gate refuses what its scope does not have. */
export type ScopeNeed =
  | { readonly kind: "knowledge" }
  | { readonly kind: "source"; readonly slug: string }
  | { readonly kind: "agent"; readonly type: string }

/**
 * How a stage touches the world. Each effect has a key of its own in the stage; one whose result
 * was recorded is not done again, whatever happened to the process since.
 */
export type Effects = {
  ask(key: string, ask: StageAsk): Promise<StageAnswer>
  step<Result>(
    key: string,
    label: StepLabel & { readonly needs?: ScopeNeed },
    work: (signal: AbortSignal) => Promise<StepDone<Result> | StepFailed>,
  ): Promise<Result>
  /** A status without work: "Plan validated". */
  note(key: string, label: StepLabel): Promise<void>
}

/** What an earlier run found, offered to this one. */
export type PriorAnswer = {
  readonly run: string
  readonly query: string
  readonly sections: readonly {
    readonly title: string
    readonly text: string
    readonly paragraphs: readonly string[]
  }[]
}

export type StageWorld = {
  readonly runId: string
  readonly query: string
  readonly depth: DepthConfig
  readonly stage: StageConfig
  /** 0 the first time, then the iteration of the repair. */
  readonly iteration: number
  /** Outputs of the stages before it, the newest of each, by stage name. */
  readonly outputs: Readonly<Record<string, unknown>>
  /** What a person said should be different, oldest first. */
  readonly amendments: readonly string[]
  /** Why a repair was started, and the output that failed. */
  readonly feedback: string | undefined
  readonly prior: PriorAnswer | undefined
  /** What it may still spend now: the smaller rest of its own budget and of the run's. */
  leftUsd(): number
  /** The text of a file in prompts/, as it was when the run began. */
  prompt(file: string): string
  readonly effects: Effects
  readonly signal: AbortSignal
}

export type StageResult = {
  /** Plain JSON. */
  readonly output: unknown
  /** In one line: "clarity 0.86, 8 sub-queries". */
  readonly summary: string
  /** Not good enough: a repair unit goes round with the feedback; without one no repair helps. */
  readonly failed?: { readonly problems: readonly string[]; readonly feedback: string }
  /** Asks a person before it goes on, whatever the config says. */
  readonly pause?: { readonly reason: "clarify"; readonly question: string }
  /** What it needs is not there: one that is optional is skipped with this note, others fail. */
  readonly skipped?: string
}

/** One kind of stage: context in, one focused piece of work, output out. It keeps no state. */
export type StageWork = (world: StageWorld) => Promise<StageResult>
