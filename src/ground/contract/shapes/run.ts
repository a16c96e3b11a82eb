import { z } from "zod"
import { ActivityKind, AgentMode, AgentType, TokenUsage } from "./agent.ts"
import { GatewayMode, WireContext } from "./gateway.ts"
import { ContextKind } from "./start.ts"

const MessageType = z.enum(["assistant", "user", "system", "error", "tool", "response", "context"])
type MessageType = z.infer<typeof MessageType>

/** Ordered by `seq`, never by time. */
export const Message = z.object({
  id: z.string(),
  seq: z.int().positive(),
  type: MessageType,
  role: z.enum(["user", "assistant", "system", "tool"]),
  content: z.string(),
  timestamp: z.int(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  raw: z.string().optional().describe("The host's own JSON"),
})
export type Message = z.infer<typeof Message>

/** After a crash no run stays `running`. */
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

/** Our own start, an imported file, or a host's transcript. */
const RUN_ORIGINS = ["started", "imported", "read"] as const

export const RunId = z.string().min(1).max(100)

/** Unknown keys are errors, so that a typing error does not become a default. */
export const RunConfiguration = z.strictObject({
  cwd: z.string().min(1).optional().describe("Directory of the agent; default: the repository"),
  model: z.string().min(1).max(200).optional(),
  mode: AgentMode.default("ask").describe("How much it may do without asking"),
  budgetUsd: z.number().positive().max(100_000).optional(),
  budgetTokens: z.int().positive().max(10_000_000_000).optional(),
  sources: z.array(z.string().min(1).max(200)).max(100).optional(),
  script: z.string().min(1).max(200_000).optional().describe("For the synthetic agent"),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(32_200)).optional(),
  resume: z.string().min(1).max(200).optional().describe("The host's session to resume"),
  changes: z
    .array(z.string().min(1).max(500))
    .max(100)
    .optional()
    .describe("Files it may change, as globs; other edits are denied"),
  pack: z.string().min(1).max(100).optional().describe("Stored package before the first turn"),
  gateway: GatewayMode.optional().describe("Gateway mode of its requests"),
})
export type RunConfiguration = z.infer<typeof RunConfiguration>

const Spent = {
  usage: TokenUsage,
  reportedUsd: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Cost reported by the provider, or null"),
  computedUsd: z.number().nonnegative().nullable().describe("Cost by our price table, or null"),
}

/** The provider's cost next to ours. */
export const RunCost = z.object({
  ...Spent,
  earlier: z.object(Spent).optional().describe("Part of it in replaced sessions"),
})
export type RunCost = z.infer<typeof RunCost>

export const Run = z.object({
  id: RunId,
  type: AgentType,
  title: z.string(),
  isTitleOwn: z.boolean().describe("Whether the user wrote the title"),
  prompt: z.string(),
  status: RunStatus,
  cwd: z.string(),
  model: z.string().nullable(),
  mode: AgentMode,
  sessionId: z.string().nullable().describe("The host's session id, from its first message"),
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
  workflow: z.string().describe("Workflow state: todo, in progress, done"),
  isArchived: z.boolean(),
  origin: z.enum(RUN_ORIGINS).default("started"),
  startedBy: z
    .string()
    .nullable()
    .default(null)
    .describe("The person of the team who started it; null for the machine's own user"),
  openApprovals: z.int().nonnegative(),
  queuedTurns: z.int().nonnegative(),
})
export type Run = z.infer<typeof Run>

/** A question of an agent, stored until it is answered once. */
export const Approval = z.object({
  id: z.string(),
  runId: RunId,
  tool: z.string(),
  title: z.string(),
  input: z.string(),
  digest: z
    .string()
    .describe("Digest of tool, input and directory; the answer applies to exactly this"),
  path: z.string().nullable().default(null).describe("The affected file"),
  cwd: z.string().default(""),
  status: z.enum(["open", "allowed", "denied", "expired"]),
  requestedAt: z.int(),
  expiresAt: z.int(),
  answeredAt: z.int().nullable(),
  answeredBy: z.string().nullable(),
  note: z.string().nullable(),
})
export type Approval = z.infer<typeof Approval>

export const AgentsList = z.object({ runs: z.array(Run).describe("Newest first") })
export type AgentsList = z.infer<typeof AgentsList>

export const AgentsMessages = z.object({ messages: z.array(Message).describe("In order") })
export type AgentsMessages = z.infer<typeof AgentsMessages>

export const AgentsDeleted = z.object({ id: z.string() })

export const QueuedTurn = z.object({
  id: z.string(),
  text: z.string(),
  queuedAt: z.int(),
  by: z.string().nullable().default(null).describe("The person of the team who sent it"),
})
export type QueuedTurn = z.infer<typeof QueuedTurn>
export const AgentsTurns = z.object({
  turns: z.array(QueuedTurn).describe("In sending order"),
  canSteer: z.boolean().describe("Whether the agent accepts a message while it works"),
})
export type AgentsTurns = z.infer<typeof AgentsTurns>

export const ContextPart = z.object({
  label: z.string(),
  text: z.string(),
  tokens: z.int().nonnegative(),
  pack: z.string().optional().describe("Id of its stored package"),
})
export type ContextPart = z.infer<typeof ContextPart>
export const AgentsParts = z.object({ parts: z.array(ContextPart) })
export type AgentsParts = z.infer<typeof AgentsParts>

export const AgentsApprovals = z.object({ approvals: z.array(Approval).describe("Oldest first") })
export type AgentsApprovals = z.infer<typeof AgentsApprovals>

/** All given fields must match. */
export const PermissionRule = z.strictObject({
  decision: z.enum(["allow", "ask", "deny"]),
  tool: z.string().min(1).max(200).optional().describe("Tool name, or a pattern with *"),
  command: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe("A whole command; with * at the end, a prefix without shell operators"),
  path: z.string().min(1).max(1_000).optional().describe("A glob, relative to the repository root"),
})
export type PermissionRule = z.infer<typeof PermissionRule>
export const ListedRule = PermissionRule.extend({
  id: z.string(),
  origin: z.enum(["config", "project"]).describe("The settings, or .qm/permissions.json"),
  isInForce: z
    .boolean()
    .describe("An allow rule of the project counts only if the user approved its file"),
})
export type ListedRule = z.infer<typeof ListedRule>
export const Permissions = z.object({
  file: z.string(),
  digest: z.string().nullable().describe("Digest of the file; null without one"),
  isTrusted: z.boolean().describe("Whether the user approved the current file"),
  rules: z.array(ListedRule).describe("Deny rules first, in the order of evaluation"),
})
export type Permissions = z.infer<typeof Permissions>

export const RunSpan = z.object({
  lane: z.enum(["model", "tools", "branches", "waiting"]),
  kind: ActivityKind.optional(),
  title: z.string(),
  fromMs: z.int().nonnegative().describe("Milliseconds after the run's start"),
  toMs: z.int().nonnegative(),
  seq: z.int().positive().describe("Its first message"),
})
export type RunSpan = z.infer<typeof RunSpan>
export const AgentsTimeline = z.object({
  durationMs: z.int().nonnegative(),
  waitedMs: z.int().nonnegative().describe("Waiting for the user"),
  spans: z.array(RunSpan),
})
export type AgentsTimeline = z.infer<typeof AgentsTimeline>

export const AgentsContext = z.object({
  used: z.int().nonnegative().nullable(),
  window: z.int().positive().nullable(),
  wire: WireContext.nullable()
    .default(null)
    .describe("Numbers of the newest request, if it was proxied"),
  kinds: z.array(z.object({ kind: ContextKind, tokens: z.int().nonnegative() })),
  files: z.array(
    z.object({
      path: z.string(),
      reason: z.string(),
      tokens: z.int().nonnegative().nullable(),
      seq: z.int().positive(),
      isThisTurn: z.boolean(),
      isBeforeCompaction: z.boolean().describe("Loaded before the host compacted; possibly gone"),
    }),
  ),
  parts: z
    .array(ContextPart.omit({ text: true }).extend({ seq: z.int().positive() }))
    .describe("Context parts in front of turns, the latest of each"),
  compactions: z.array(z.object({ seq: z.int().positive(), at: z.int() })),
  changes: z.array(
    z.object({
      path: z.string(),
      added: z.int().nonnegative(),
      removed: z.int().nonnegative(),
      seq: z.int().positive().describe("Message of its last edit"),
    }),
  ),
})
export type AgentsContext = z.infer<typeof AgentsContext>

export const Provider = z.object({
  type: AgentType,
  title: z.string(),
  isInstalled: z.boolean(),
  program: z.string().nullable(),
  version: z.string().nullable(),
  hint: z.string().describe("How to install it, if it is missing"),
  scripts: z.array(z.string()).describe("Scripts of the synthetic agent"),
})
export type Provider = z.infer<typeof Provider>
export const AgentsProviders = z.object({ providers: z.array(Provider) })
export type AgentsProviders = z.infer<typeof AgentsProviders>

export const AgentsExport = z.object({
  text: z.string(),
  messages: z.int().nonnegative(),
  sizeBytes: z.int().nonnegative(),
})
export type AgentsExport = z.infer<typeof AgentsExport>
export const AgentsSaved = AgentsExport.omit({ text: true }).extend({ file: z.string() })
export type AgentsSaved = z.infer<typeof AgentsSaved>

/** A session that a host stored on this machine. */
export const HostSession = z.object({
  host: z.enum(["claude-code", "codex"]),
  sessionId: z.string(),
  title: z.string(),
  cwd: z.string().nullable(),
  file: z.string(),
  sizeBytes: z.int().nonnegative(),
  changedAt: z.int(),
  runId: z.string().nullable().describe("The run it was imported into"),
  isResumable: z.boolean(),
})
export type HostSession = z.infer<typeof HostSession>
export const AgentsSessions = z.object({ sessions: z.array(HostSession).describe("Newest first") })
export type AgentsSessions = z.infer<typeof AgentsSessions>

export const AgentsHandoff = z.object({
  text: z.string(),
  tokens: z.int().nonnegative(),
  run: Run.nullable().describe("The new run, if it was started"),
})
export type AgentsHandoff = z.infer<typeof AgentsHandoff>
