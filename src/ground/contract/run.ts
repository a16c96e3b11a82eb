import { z } from "zod"
import { AgentMode, AgentType, TokenUsage } from "./agent.ts"
import { GatewayMode } from "./gateway.ts"

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

/** Where a run's words came from: our own start, a file we wrote, or a host's transcript. */
export const RUN_ORIGINS = ["started", "imported", "read"] as const

export const RunId = z.string().min(1).max(100)

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
  changes: z
    .array(z.string().min(1).max(500))
    .max(100)
    .optional()
    .describe("Files it may change, as globs; edits elsewhere are denied"),
  pack: z.string().min(1).max(100).optional().describe("Kept package before the first turn"),
  gateway: GatewayMode.optional().describe("Whether its requests go through the gateway"),
})
export type RunConfiguration = z.infer<typeof RunConfiguration>

const Spent = {
  usage: TokenUsage,
  reportedUsd: z.number().nonnegative().nullable().describe("What the provider says, or null"),
  computedUsd: z.number().nonnegative().nullable().describe("By our price table, or null"),
}

/** What a run has cost so far: the provider's figure beside ours. */
export const RunCost = z.object({
  ...Spent,
  earlier: z.object(Spent).optional().describe("Of it, in sessions that were replaced"),
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
  origin: z.enum(RUN_ORIGINS).default("started"),
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
  path: z.string().nullable().default(null).describe("The file it is about"),
  cwd: z.string().default(""),
  status: z.enum(["open", "allowed", "denied", "expired"]),
  requestedAt: z.int(),
  expiresAt: z.int(),
  answeredAt: z.int().nullable(),
  answeredBy: z.string().nullable(),
  note: z.string().nullable(),
})
export type Approval = z.infer<typeof Approval>
