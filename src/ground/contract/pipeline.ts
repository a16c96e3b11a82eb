import { z } from "zod"
import { ActivityKind, TokenUsage } from "./agent.ts"

const Usd = z.number().nonnegative()
const At = z.int()

/** An agent people can run is a folder; its slug is the folder's name. */
export const AgentSlug = z
  .string()
  .min(1)
  .max(60)
  .regex(
    /^[a-z][a-z0-9-]*$/,
    "a slug has small letters, digits and dashes, and begins with a letter",
  )

export const PipelineId = z.string().min(1).max(60)

/** What a stage does. `ask` is one model call; the others are work of our own. */
export const STAGE_KINDS = ["ask", "web", "retrieve", "verify", "document", "agent"] as const
export const StageKind = z.enum(STAGE_KINDS)
export type StageKind = z.infer<typeof StageKind>

export const DEPTHS = ["quick", "standard", "deep"] as const
export const Depth = z.enum(DEPTHS)
export type Depth = z.infer<typeof Depth>

export const Effort = z.enum(["low", "medium", "high"])
export type Effort = z.infer<typeof Effort>

/** How a run ended. `partial` results are kept in every one of them. */
export const PIPELINE_ENDS = ["completed", "breakout", "stopped", "failed", "over-budget"] as const
export const PipelineEnd = z.enum(PIPELINE_ENDS)
export type PipelineEnd = z.infer<typeof PipelineEnd>

export const PIPELINE_STATUSES = ["running", "paused", "interrupted", ...PIPELINE_ENDS] as const
export const PipelineStatus = z.enum(PIPELINE_STATUSES)
export type PipelineStatus = z.infer<typeof PipelineStatus>

/** A problem of a config, where a person can find it. */
export const ConfigProblem = z.object({
  file: z.string(),
  line: z.int().positive(),
  stage: z.string().nullable(),
  field: z.string(),
  problem: z.string(),
})
export type ConfigProblem = z.infer<typeof ConfigProblem>

/** What a stage may use. The gate holds it; no prompt has to ask for it. */
export const StageScope = z.strictObject({
  knowledge: z.boolean().default(false).describe("May search the knowledge base"),
  sources: z.array(z.string()).default([]).describe("Sources it may call"),
  agents: z.array(z.string()).default([]).describe("Agents it may start"),
  paths: z.array(z.string()).default([]).describe("Files an agent may change, as globs; none: all"),
})
export type StageScope = z.infer<typeof StageScope>

export const StageConfig = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/, "small letters, digits and underscores"),
  title: z.string().min(1).max(60).describe("The words people read"),
  kind: StageKind,
  prompt: z
    .string()
    .optional()
    .describe("File in prompts/, for kinds that ask a model or an agent"),
  output: z.record(z.string(), z.unknown()).optional().describe("JSON schema of the output"),
  pauseAfter: z.boolean().default(false),
  question: z.string().max(200).optional().describe("What the pause asks"),
  model: z.string().optional(),
  effort: Effort.optional(),
  maxOutputTokens: z.int().min(16).max(200_000).default(4_000),
  contextTokens: z.int().min(100).max(1_000_000).optional().describe("Of the context it is given"),
  budgetUsd: Usd.optional(),
  optional: z
    .boolean()
    .default(false)
    .describe("Skipped with a note when what it needs is not there"),
  agent: z.string().optional().describe("For kind agent: which one is started"),
  mode: z.enum(["plan", "ask", "edits", "auto"]).optional(),
  passes: z.string().optional().describe("Field of the output that must be true, else a repair"),
  scope: StageScope.prefault({}),
})
export type StageConfig = z.infer<typeof StageConfig>

export const DepthConfig = z.strictObject({
  subQueries: z.int().min(1).max(50),
  paragraphs: z.int().min(1).max(200),
  repairs: z.int().min(0).max(10),
  contextTokens: z.int().min(500).max(500_000),
  web: z.boolean(),
})
export type DepthConfig = z.infer<typeof DepthConfig>

export const RepairUnit = z.strictObject({
  stages: z.tuple([z.string(), z.string()]).describe("First and last stage of the unit, by name"),
  maxIterations: z.int().min(0).max(10),
  feedbackField: z.string().default("feedback"),
})
export type RepairUnit = z.infer<typeof RepairUnit>

export const PipelineConfig = z.strictObject({
  stages: z.array(StageConfig).min(1).max(30),
  pauseAfterStages: z.array(z.string()).default([]),
  repairUnits: z.array(RepairUnit).default([]),
  autoAdvance: z.boolean().default(false).describe("Never pause where the config says so"),
  pauseOnErrors: z.boolean().default(true),
  budgetUsd: Usd.optional().describe("Of a run; default: the setting pipeline.budget"),
  depths: z.record(z.string(), DepthConfig).default({}),
})
export type PipelineConfig = z.infer<typeof PipelineConfig>

/** An agent people can run, as its folder says. */
export const AgentFolder = z.object({
  slug: AgentSlug,
  name: z.string(),
  description: z.string(),
  origin: z.enum(["shipped", "user", "project"]),
  folder: z.string(),
  digest: z.string().describe("Of everything in the folder; what a person trusts"),
  isTrusted: z.boolean(),
  sources: z.array(z.string()),
  tools: z.array(z.string()),
  config: PipelineConfig.nullable(),
  problems: z.array(ConfigProblem),
  shadows: z.array(z.string()).optional().describe("Folders of the same name it stands before"),
})
export type AgentFolder = z.infer<typeof AgentFolder>

const Stage = { stage: z.int().nonnegative(), attempt: z.int().positive() }
const key = z.string().max(200).describe("Of the effect in its stage; its result is kept under it")

/**
 * What happened in a run, in order. Everything else is derived from this list by pure functions;
 * it only ever grows.
 */
export const PipelineEventBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("run_started"),
    agent: AgentSlug,
    digest: z.string(),
    config: PipelineConfig,
    prompts: z.record(z.string(), z.string()).describe("As they were; a later edit changes no run"),
    query: z.string(),
    depth: Depth,
    session: z.string().nullable(),
    budgetUsd: Usd,
    provider: z.string(),
    /** A run from which outputs of earlier stages were taken over. */
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
    tool: z.string().describe("A name people read, e.g. Knowledge Base Search"),
    title: z.string(),
    outcome: z.enum(["done", "failed", "denied", "stopped", "noted"]).optional(),
    result: z.unknown().optional().describe("What the effect gave; it never runs again"),
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
    usage: TokenUsage,
    usd: Usd.nullable().describe("Null when no price is known"),
    text: z.string(),
    value: z.unknown().optional(),
    problem: z.string().optional().describe("Why it is no answer; then it is asked again"),
    durationMs: z.int().nonnegative(),
    retries: z.int().nonnegative().default(0),
  }),
  z.object({
    type: z.literal("stage_output"),
    ...Stage,
    output: z.unknown(),
    summary: z.string().describe("In one line"),
    isCarried: z.boolean().default(false).describe("Taken over from another run"),
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
  /** A turn after the end: the summary stands in front of the message. */
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
  unknownCalls: z.int().nonnegative().describe("Calls that were cut, or whose price nobody knows"),
})

/** A stage as people see it. */
export const PipelineStage = z.object({
  index: z.int().nonnegative(),
  name: z.string(),
  title: z.string(),
  kind: StageKind,
  status: z.enum(["waiting", "running", "done", "failed", "skipped", "paused"]),
  attempt: z.int().nonnegative().describe("0 before it began"),
  rounds: z.int().nonnegative().describe("How often it gave an output"),
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
  lines: z.array(z.object({ text: z.string(), note: z.string() })).describe("What is decided on"),
  isConfirmingExit: z.boolean().describe("A breakout was asked for and waits for 1 yes / 2 no"),
  choices: z.array(z.object({ key: z.string(), word: z.string(), consequence: z.string() })),
})
export type PipelinePause = z.infer<typeof PipelinePause>

export const PipelineRun = z.object({
  id: PipelineId,
  agent: AgentSlug,
  title: z.string(),
  query: z.string(),
  status: PipelineStatus,
  depth: Depth,
  provider: z.string(),
  session: z.string().nullable(),
  createdAt: At,
  updatedAt: At,
  endedAt: At.nullable(),
  lastSeq: z.int().nonnegative(),
  stage: z.int().nonnegative().nullable().describe("The one at work or the one it paused after"),
  stages: z.array(PipelineStage),
  repairs: z.array(z.object({ first: z.int(), last: z.int(), used: z.int(), most: z.int() })),
  pause: PipelinePause.nullable(),
  cost: Money,
  usage: TokenUsage,
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
  reason: z.string().nullable().describe("Why it ended"),
  isPartial: z.boolean(),
  from: z.object({ run: PipelineId, stage: z.int() }).nullable(),
  prior: PipelineId.nullable(),
  hasDocument: z.boolean(),
})
export type PipelineRun = z.infer<typeof PipelineRun>

/** A run in a list. */
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

/** Short enough for every later turn, and what a longer look adds. */
export const PipelineSummary = z.object({
  run: PipelineId,
  agent: AgentSlug,
  query: z.string(),
  plan: z.array(z.string()),
  findings: z.array(z.string()),
  conclusions: z.array(z.string()),
  scores: z.record(z.string(), z.number()),
  completedStages: z.array(z.string()),
  isPartial: z.boolean(),
  exitReason: z.string(),
  text: z
    .string()
    .describe("What later turns are told, 500 to 1,500 characters where there is as much"),
  longer: z.string(),
})
export type PipelineSummary = z.infer<typeof PipelineSummary>

const id = PipelineId.describe("Run, by id")
const message = z.string().max(20_000)

export const PipelineListInput = z.strictObject({
  agent: AgentSlug.optional().describe("Only runs of this agent"),
  session: z.string().max(100).optional().describe("Only runs that belong to this session"),
  limit: z.int().min(1).max(500).default(50).describe("At most so many, newest first"),
})
export const PipelineList = z.object({ runs: z.array(PipelineLine) })
export type PipelineList = z.infer<typeof PipelineList>

export const PipelineRunInput = z.strictObject({
  agent: AgentSlug.describe("Agent, by its folder's name"),
  query: z.string().min(1).max(20_000).describe("What it should find out or do"),
  depth: Depth.default("standard").describe("How far it goes"),
  budget: z.number().positive().max(100_000).optional().describe("US dollars; default: its config"),
  session: z.string().max(100).optional().describe("Run of an agent it belongs to"),
  model: z.string().max(200).optional().describe("Model for every stage that names none"),
  auto: z.boolean().default(false).describe("Never pause"),
})
export const PipelineIdInput = z.strictObject({ id })
export const PipelineShow = z.object({ run: PipelineRun, events: z.array(PipelineEvent) })
export type PipelineShow = z.infer<typeof PipelineShow>
export const PipelineShowInput = z.strictObject({
  id,
  after: z.int().nonnegative().default(0).describe("Only events after this number"),
})
export const PipelineResumeInput = z.strictObject({ id })
export const PipelineAmendInput = z.strictObject({
  id,
  text: message.describe("What should be different; the stage is done again with it"),
})
export const PipelineStopInput = z.strictObject({ id })
export const PipelineSkipInput = z.strictObject({ id })
export const PipelineRerunInput = z.strictObject({
  id,
  stage: z.string().min(1).max(60).describe("Stage to begin with, by name or number"),
  edit: message.optional().describe("What should be different this time"),
})
export const PipelineSayInput = z.strictObject({
  id,
  text: message.min(1).describe("An answer to a pause, or a word after the end"),
})
/** What a message to a run came to. */
export const PipelineSaid = z.object({
  case: z.enum(["A", "B", "C", "D", "D'", "E", "after"]),
  run: PipelineRun,
  reply: z.string().describe("What the person is told"),
  answered: z.string().nullable().describe("The message that was answered after an exit"),
})
export type PipelineSaid = z.infer<typeof PipelineSaid>
export const PipelineDocument = z.object({
  id: PipelineId,
  title: z.string(),
  markdown: z.string(),
  isPartial: z.boolean(),
  references: z.array(
    z.object({
      label: z.string().describe("P3 or W1, as in the text"),
      title: z.string(),
      citation: z.string(),
      paragraph: z.string().nullable(),
      url: z.string().nullable(),
      isPrior: z.boolean().describe("Taken from an earlier run's answer"),
    }),
  ),
})
export type PipelineDocument = z.infer<typeof PipelineDocument>
export const PipelineCompareInput = z.strictObject({
  id,
  other: PipelineId.describe("Run it is held against"),
})
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
      isSame: z.boolean().describe("Whether both gave the same output"),
    }),
  ),
})
export type PipelineCompare = z.infer<typeof PipelineCompare>

export const AgentListInput = z.strictObject({})
export const AgentList = z.object({ agents: z.array(AgentFolder) })
export type AgentList = z.infer<typeof AgentList>
export const AgentShowInput = z.strictObject({
  slug: AgentSlug.describe("Agent, by its folder's name"),
})
export const AgentShow = z.object({
  agent: AgentFolder,
  prompts: z.array(z.object({ file: z.string(), text: z.string() })),
  runs: z.array(PipelineLine),
})
export type AgentShow = z.infer<typeof AgentShow>
export const AgentNewInput = z.strictObject({
  slug: AgentSlug.describe("Name of its folder"),
  template: AgentSlug.default("deep-research").describe("Shipped agent to start from"),
})
export const AgentValidateInput = z.strictObject({
  slug: AgentSlug.optional().describe("Only this one; default: all"),
})
export const AgentValidate = z.object({
  agents: z.array(AgentFolder),
  isValid: z.boolean(),
})
export type AgentValidate = z.infer<typeof AgentValidate>
export const AgentTrustInput = z.strictObject({
  slug: AgentSlug.describe("Agent of this repository, as it is now"),
  digest: z.string().max(100).optional().describe("What was read; refused when it has changed"),
})
