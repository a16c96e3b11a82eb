import { z } from "zod"
import { AgentMode, AgentType, TokenUsage } from "./agent.ts"
import { Message } from "./message.ts"

/** Where a run stands. After a crash nothing says `running` that is not. */
export const RUN_STATUSES = [
  "queued",
  "starting",
  "running",
  "waiting",
  "paused",
  "completed",
  "failed",
  "stopped",
  "interrupted",
] as const
export const RunStatus = z.enum(RUN_STATUSES)
export type RunStatus = z.infer<typeof RunStatus>

/** Characters of a prompt or of a further turn. */
const MOST_PROMPT_CHARACTERS = 1_000_000

const RunId = z.string().min(1).max(100)

/** What a run is started with. Unknown keys are refused: a typo must not become a default. */
export const RunConfiguration = z.strictObject({
  cwd: z.string().min(1).optional().describe("Directory of the agent; default: the repository"),
  model: z.string().min(1).max(200).optional(),
  mode: AgentMode.default("ask").describe("How much it may do without asking"),
  budgetUsd: z.number().positive().max(100_000).optional(),
  budgetTokens: z.int().positive().max(10_000_000_000).optional(),
  sources: z.array(z.string().min(1).max(200)).max(100).optional(),
  script: z.string().min(1).max(200_000).optional().describe("For the synthetic agent"),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(32_000)).optional(),
  resume: z.string().min(1).max(200).optional().describe("The host's session to go on with"),
})
export type RunConfiguration = z.infer<typeof RunConfiguration>

/** What a run has cost so far: the provider's figure beside ours. */
export const RunCost = z.object({
  usage: TokenUsage,
  reportedUsd: z.number().nonnegative().nullable().describe("What the provider says, or null"),
  computedUsd: z.number().nonnegative().nullable().describe("By our price table, or null"),
})
export type RunCost = z.infer<typeof RunCost>

export const Run = z.object({
  id: RunId,
  type: AgentType,
  title: z.string(),
  isTitleOwn: z.boolean().describe("Whether a person gave the title"),
  prompt: z.string(),
  status: RunStatus,
  cwd: z.string(),
  model: z.string().nullable(),
  mode: AgentMode,
  sessionId: z.string().nullable().describe("The host's own id, from its first message"),
  hostVersion: z.string().nullable(),
  createdAt: z.int(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  updatedAt: z.int(),
  lastSeq: z.int().nonnegative(),
  turns: z.int().nonnegative(),
  error: z.string().nullable(),
  cost: RunCost,
  budgetUsd: z.number().nullable(),
  budgetTokens: z.int().nullable(),
  contextUsed: z.int().nullable(),
  contextWindow: z.int().nullable(),
  labels: z.array(z.string()),
  workflow: z.string().describe("Where the work stands for people: todo, in progress, done"),
  isArchived: z.boolean(),
  openApprovals: z.int().nonnegative(),
  queuedTurns: z.int().nonnegative(),
})
export type Run = z.infer<typeof Run>

/** A question of an agent, kept until it is answered once. */
export const Approval = z.object({
  id: z.string(),
  runId: RunId,
  tool: z.string(),
  title: z.string(),
  input: z.string(),
  digest: z.string().describe("Of tool, input and cwd: the answer is for exactly this"),
  status: z.enum(["open", "allowed", "denied", "expired"]),
  requestedAt: z.int(),
  expiresAt: z.int(),
  answeredAt: z.int().nullable(),
  answeredBy: z.string().nullable(),
  note: z.string().nullable(),
})
export type Approval = z.infer<typeof Approval>

/** Flat, as every input is; the REST door takes the nested form of the same. */
export const AgentsStartInput = z.object({
  type: AgentType.default("claude-code").describe("Which agent works"),
  prompt: z.string().trim().min(1).max(MOST_PROMPT_CHARACTERS).describe("What it shall do"),
  cwd: z.string().min(1).optional().describe("Directory it works in; default: the repository"),
  model: z.string().min(1).max(200).optional().describe("Model, in the agent's own words"),
  mode: AgentMode.default("ask").describe("How much it may do without asking"),
  budgetUsd: z.number().positive().max(100_000).optional().describe("Stop before it costs more"),
  budgetTokens: z
    .int()
    .positive()
    .max(10_000_000_000)
    .optional()
    .describe("Stop before more tokens"),
  script: z.string().min(1).max(200_000).optional().describe("For the synthetic agent"),
})
const RunIdInput = { id: RunId.describe("Id of the run") }
export const AgentsListInput = z.object({
  limit: z.int().min(1).max(500).default(50).describe("At most so many runs"),
})
export const AgentsList = z.object({ runs: z.array(Run).describe("Newest first") })
export type AgentsList = z.infer<typeof AgentsList>
export const AgentsShowInput = z.object(RunIdInput)
export const AgentsMessagesInput = z.object({
  ...RunIdInput,
  after: z.int().nonnegative().default(0).describe("Only messages after this number"),
  limit: z.int().min(1).max(1_000).default(200).describe("At most so many messages"),
})
export const AgentsMessages = z.object({ messages: z.array(Message).describe("In their order") })
export type AgentsMessages = z.infer<typeof AgentsMessages>
export const AgentsSendInput = z.object({
  ...RunIdInput,
  text: z.string().trim().min(1).max(MOST_PROMPT_CHARACTERS).describe("The next turn"),
})
export const AgentsStopInput = z.object(RunIdInput)
export const AgentsDeleteInput = z.object(RunIdInput)
export const AgentsDeleted = z.object({ id: z.string() })
export const AgentsApprovalsInput = z.object({})
export const AgentsApprovals = z.object({ approvals: z.array(Approval).describe("Oldest first") })
export type AgentsApprovals = z.infer<typeof AgentsApprovals>
export const AgentsAnswerInput = z.object({
  id: z.string().min(1).max(100).describe("Id of the approval"),
  decision: z.enum(["allow", "deny"]).describe("Whether the agent may"),
  note: z.string().max(2_000).optional().describe("What it is told when it may not"),
})
