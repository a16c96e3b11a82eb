import { z } from "zod"
import { ActivityKind, TokenUsage } from "./agent.ts"
import { Depth, PipelineConfig, RecipeFolder, RecipeSlug, StageKind } from "./pipeline-config.ts"

const Usd = z.number().nonnegative()
const At = z.int()

export const PipelineId = z.string().min(1).max(60)

/** Partial results are stored in every case. */
const PIPELINE_ENDS = ["completed", "breakout", "stopped", "failed", "over-budget"] as const
const PipelineEnd = z.enum(PIPELINE_ENDS)
type PipelineEnd = z.infer<typeof PipelineEnd>

export const PIPELINE_STATUSES = ["running", "paused", "interrupted", ...PIPELINE_ENDS] as const
export const PipelineStatus = z.enum(PIPELINE_STATUSES)
export type PipelineStatus = z.infer<typeof PipelineStatus>

const Connections = z
  .record(z.string(), z.object({ provider: z.string(), model: z.string() }))
  .describe("Connections that its stages name, as they were at the start")

const Stage = { stage: z.int().nonnegative(), attempt: z.int().positive() }
const key = z
  .string()
  .max(200)
  .describe("Key of the effect in its stage; its result is stored under it")

/**
 * The events of a run in order, append-only. Everything else is derived from them by pure
 * functions.
 */
export const PipelineEventBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run_started"),
    agent: RecipeSlug,
    digest: z.string(),
    config: PipelineConfig,
    prompts: z
      .record(z.string(), z.string())
      .describe("As they were at the start; later edits do not change a run"),
    query: z.string(),
    depth: Depth,
    session: z.string().nullable(),
    person: z.string().optional().describe("Who started it; missing for the machine's own user"),
    budgetUsd: Usd,
    provider: z.string(),
    model: z.string().optional().describe("For stages that name none; missing in older runs"),
    connections: Connections.optional(),
    /** The run whose earlier outputs were reused. */
    from: z.object({ run: PipelineId, stage: z.int(), edit: z.string().nullable() }).nullable(),
    prior: PipelineId.nullable().describe("An earlier run whose answer is offered as a reference"),
  }),
  z.object({ type: z.literal("stage_started"), ...Stage, iteration: z.int().nonnegative() }),
  z.object({
    type: z.literal("substep"),
    ...Stage,
    key,
    phase: z.enum(["started", "ended"]),
    activityId: z.string(),
    parentId: z.string().optional(),
    kind: ActivityKind,
    tool: z.string().describe("Name for display, e.g. Knowledge Base Search"),
    title: z.string(),
    outcome: z.enum(["done", "failed", "denied", "stopped", "noted"]).optional(),
    result: z.unknown().optional().describe("Result of the effect; the effect never runs again"),
    detail: z.string().optional(),
    tokens: z.int().nonnegative().optional(),
    durationMs: z.int().nonnegative().optional(),
    usd: Usd.nullable().optional(),
  }),
  z.object({
    type: z.literal("llm_called"),
    ...Stage,
    key,
    activityId: z.string(),
    model: z.string(),
    connection: z.string().optional().describe("Named connection; absent for the settings"),
    usage: TokenUsage,
    usd: Usd.nullable().describe("Null if no price is known"),
    text: z.string(),
    value: z.unknown().optional(),
    problem: z.string().optional().describe("Reason why the answer is invalid and requested again"),
    durationMs: z.int().nonnegative(),
    retries: z.int().nonnegative().default(0),
  }),
  z.object({
    type: z.literal("stage_output"),
    ...Stage,
    output: z.unknown(),
    summary: z.string().describe("One-line summary"),
    isCarried: z.boolean().default(false).describe("Reused from another run"),
  }),
  z.object({
    type: z.literal("validation_failed"),
    ...Stage,
    problems: z.array(z.string()),
    feedback: z.string(),
  }),
  z.object({
    type: z.literal("repair_started"),
    unit: z.int().nonnegative(),
    iteration: z.int().positive(),
    feedback: z.string(),
  }),
  z.object({
    type: z.literal("pause_requested"),
    stage: z.int().nonnegative(),
    pauseId: z.string(),
    reason: z.enum(["configured", "clarify", "error", "repair-limit"]),
    question: z.string(),
  }),
  z.object({ type: z.literal("resumed"), by: z.string(), note: z.string().optional() }),
  z.object({
    type: z.literal("amended"),
    by: z.string(),
    stage: z.int().nonnegative(),
    text: z.string(),
  }),
  z.object({
    type: z.literal("skipped"),
    by: z.string(),
    stage: z.int().nonnegative(),
    reason: z.string(),
  }),
  z.object({ type: z.literal("breakout_pending"), message: z.string(), by: z.string() }),
  z.object({ type: z.literal("breakout"), message: z.string() }),
  z.object({
    type: z.literal("budget_warned"),
    scope: z.string().describe("run, or the stage's name"),
    spentUsd: Usd,
    budgetUsd: Usd,
  }),
  z.object({
    type: z.literal("budget_exceeded"),
    scope: z.string(),
    spentUsd: Usd,
    budgetUsd: Usd,
  }),
  z.object({
    type: z.literal("error"),
    stage: z.int().nonnegative().nullable(),
    code: z.string(),
    message: z.string(),
    hint: z.string().default(""),
  }),
  z.object({
    type: z.literal("run_completed"),
    status: PipelineEnd,
    reason: z.string(),
    isPartial: z.boolean(),
  }),
  /** A message after the end of the run; the model answers it with the run's summary. */
  z.object({
    type: z.literal("said"),
    key,
    message: z.string(),
    answer: z.string(),
    model: z.string(),
    usage: TokenUsage,
    usd: Usd.nullable(),
  }),
])
export type PipelineEventBody = z.infer<typeof PipelineEventBody>

export const PipelineEvent = z.object({
  seq: z.int().positive(),
  at: At,
  body: PipelineEventBody,
})
export type PipelineEvent = z.infer<typeof PipelineEvent>

const Money = z.object({
  spentUsd: Usd,
  budgetUsd: Usd.nullable(),
  unknownCalls: z
    .int()
    .nonnegative()
    .describe("Calls that were interrupted or have no known price"),
})

export const PipelineStage = z.object({
  index: z.int().nonnegative(),
  name: z.string(),
  title: z.string(),
  kind: StageKind,
  status: z.enum(["waiting", "running", "done", "failed", "skipped", "paused"]),
  attempt: z.int().nonnegative().describe("0 before it started"),
  rounds: z.int().nonnegative().describe("Number of outputs"),
  summary: z.string().nullable(),
  startedAt: At.nullable(),
  endedAt: At.nullable(),
  activities: z.int().nonnegative(),
  pauses: z.boolean(),
  repairUnit: z.int().nonnegative().nullable(),
  cost: Money,
})
export type PipelineStage = z.infer<typeof PipelineStage>

export const PipelinePause = z.object({
  pauseId: z.string(),
  stage: z.int().nonnegative(),
  reason: z.string(),
  question: z.string(),
  since: At,
  lines: z.array(z.object({ text: z.string(), note: z.string() })).describe("Items to decide on"),
  isConfirmingExit: z.boolean().describe("An exit was requested and waits for 1 yes / 2 no"),
  choices: z.array(z.object({ key: z.string(), word: z.string(), consequence: z.string() })),
})
export type PipelinePause = z.infer<typeof PipelinePause>

export const PipelineRun = z.object({
  id: PipelineId,
  agent: RecipeSlug,
  title: z.string(),
  query: z.string(),
  status: PipelineStatus,
  depth: Depth,
  provider: z.string(),
  connections: Connections.optional(),
  session: z.string().nullable(),
  createdAt: At,
  updatedAt: At,
  endedAt: At.nullable(),
  lastSeq: z.int().nonnegative(),
  stage: z
    .int()
    .nonnegative()
    .nullable()
    .describe("The current stage, or the one before the pause"),
  stages: z.array(PipelineStage),
  repairs: z.array(z.object({ first: z.int(), last: z.int(), used: z.int(), most: z.int() })),
  pause: PipelinePause.nullable(),
  cost: Money,
  usage: TokenUsage,
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
  reason: z.string().nullable().describe("Reason for the end"),
  isPartial: z.boolean(),
  from: z.object({ run: PipelineId, stage: z.int() }).nullable(),
  prior: PipelineId.nullable(),
  hasDocument: z.boolean(),
})
export type PipelineRun = z.infer<typeof PipelineRun>

export const PipelineLine = PipelineRun.omit({
  stages: true,
  repairs: true,
  pause: true,
  usage: true,
}).extend({
  stageTitle: z.string().nullable(),
  stagesDone: z.int().nonnegative(),
  stagesTotal: z.int().positive(),
})
export type PipelineLine = z.infer<typeof PipelineLine>

/** `text` is short enough for every later turn; `longer` has more details. */
export const PipelineSummary = z.object({
  run: PipelineId,
  agent: RecipeSlug,
  query: z.string(),
  plan: z.array(z.string()),
  findings: z.array(z.string()),
  conclusions: z.array(z.string()),
  scores: z.record(z.string(), z.number()),
  completedStages: z.array(z.string()),
  isPartial: z.boolean(),
  exitReason: z.string(),
  text: z.string().describe("Text for later turns, 500 to 1,500 characters if there is enough"),
  longer: z.string(),
})
export type PipelineSummary = z.infer<typeof PipelineSummary>

export const PipelineList = z.object({ runs: z.array(PipelineLine) })
export type PipelineList = z.infer<typeof PipelineList>

export const PipelineShow = z.object({ run: PipelineRun, events: z.array(PipelineEvent) })
export type PipelineShow = z.infer<typeof PipelineShow>
export const PipelineReply = z.object({
  case: z.enum(["A", "B", "C", "D", "D'", "E", "after"]),
  run: PipelineRun,
  reply: z.string().describe("Reply to the user"),
  answered: z.string().nullable().describe("The message that was answered after an exit"),
})
export type PipelineReply = z.infer<typeof PipelineReply>
export const PipelineDocument = z.object({
  id: PipelineId,
  title: z.string(),
  markdown: z.string(),
  isPartial: z.boolean(),
  note: z.string().nullable().describe("Why it is partial"),
  references: z.array(
    z.object({
      label: z.string().describe("P3 or W1, as in the text"),
      title: z.string(),
      citation: z.string(),
      paragraph: z.string().nullable(),
      url: z.string().nullable(),
      isPrior: z.boolean().describe("From an earlier run's answer"),
    }),
  ),
})
export type PipelineDocument = z.infer<typeof PipelineDocument>
export const PipelineCompare = z.object({
  left: PipelineLine,
  right: PipelineLine,
  stages: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      left: z
        .object({ summary: z.string().nullable(), usd: Usd, rounds: z.int(), output: z.string() })
        .nullable(),
      right: z
        .object({ summary: z.string().nullable(), usd: Usd, rounds: z.int(), output: z.string() })
        .nullable(),
      isSame: z.boolean().describe("Whether both outputs are equal"),
    }),
  ),
})
export type PipelineCompare = z.infer<typeof PipelineCompare>

export const RecipeList = z.object({ recipes: z.array(RecipeFolder) })
export type RecipeList = z.infer<typeof RecipeList>
export const RecipeShow = z.object({
  recipe: RecipeFolder,
  prompts: z.array(z.object({ file: z.string(), text: z.string() })),
  runs: z.array(PipelineLine),
})
export type RecipeShow = z.infer<typeof RecipeShow>
export const RecipeValidate = z.object({
  recipes: z.array(RecipeFolder),
  isValid: z.boolean(),
})
export type RecipeValidate = z.infer<typeof RecipeValidate>
