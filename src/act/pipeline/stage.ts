import type {
  ActivityKind,
  DepthConfig,
  Effort,
  PipelineConfig,
  StageConfig,
} from "#ground/contract"

/** The engine retries responses that do not match the schema. */
export type StageAsk = {
  readonly title: string
  readonly instructions: string
  readonly prompt: string
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly effort?: Effort | undefined
  readonly maxOutputTokens?: number | undefined
}

export type StageAnswer = { readonly text: string; readonly value: unknown }

export type StepLabel = {
  readonly tool: string
  readonly kind: ActivityKind
  readonly title: string
}

export type StepDone<Result> = {
  /** Plain JSON: it is stored and reused after a crash. */
  readonly result: Result
  readonly detail?: string
  readonly tokens?: number
  readonly usd?: number | null
  /** `failed` lets the stage continue without it, so that a dead source does not end the run. */
  readonly outcome?: "done" | "failed" | "noted"
}

/** Thrown to the stage and not stored; its cost counts. */
export type StepFailed = {
  readonly error: Error
  readonly detail?: string
  readonly tokens?: number
  readonly usd: number | null
}

/** Rejected if the stage's scope does not contain it. */
export type ScopeNeed =
  | { readonly kind: "knowledge" }
  | { readonly kind: "source"; readonly slug: string }
  | { readonly kind: "agent"; readonly type: string }

/**
 * All side effects of a stage. Each has its own key in the stage; one with a recorded result is not
 * executed again, even after a crash.
 */
export type Effects = {
  ask(key: string, ask: StageAsk): Promise<StageAnswer>
  step<Result>(
    key: string,
    label: StepLabel & { readonly needs?: ScopeNeed },
    work: (signal: AbortSignal) => Promise<StepDone<Result> | StepFailed>,
  ): Promise<Result>
  note(key: string, label: StepLabel): Promise<void>
}

export type PriorAnswer = {
  readonly run: string
  readonly query: string
  readonly sections: readonly {
    readonly title: string
    readonly text: string
    readonly paragraphs: readonly string[]
  }[]
}

/** Settings of the recipe that several stages use. */
type RecipeSettings = Pick<PipelineConfig, "verification" | "citationFormat" | "language">

export type StageInput = {
  readonly runId: string
  readonly query: string
  /** The name of the person that started the run; undefined for the machine's own user. */
  readonly person: string | undefined
  readonly settings: RecipeSettings
  readonly depth: DepthConfig
  readonly stage: StageConfig
  /** 0 first, then the number of the repair. */
  readonly iteration: number
  readonly outputs: Readonly<Record<string, unknown>>
  readonly amendments: readonly string[]
  readonly feedback: string | undefined
  readonly prior: PriorAnswer | undefined
  /** The smaller remainder of the stage's budget and the run's. */
  leftUsd(): number
  /** A file of prompts/ as it was at the start of the run. */
  prompt(file: string): string
  readonly effects: Effects
  readonly signal: AbortSignal
}

export type StageResult = {
  readonly output: unknown
  readonly summary: string
  /**
   * The output did not pass: its unit is repaired with the feedback; without feedback there is no
   * repair.
   */
  readonly failed?: { readonly problems: readonly string[]; readonly feedback: string }
  /** Pauses the run whatever the config says. */
  readonly pause?: { readonly reason: "clarify"; readonly question: string }
  /** Requirements are missing: an optional stage is skipped with this note, others fail. */
  readonly skipped?: string
}

/** Stateless: everything comes from its input and its effects. */
export type StageWork = (context: StageInput) => Promise<StageResult>
