import { z } from "zod"
import { ContextKind } from "./start.ts"

/**
 * The agents that can be started; programs of the user first. `acp` is any program that speaks the
 * Agent Client Protocol, named by the setting `agents.acp`.
 */
export const AGENT_TYPES = [
  "claude-code",
  "codex",
  "copilot",
  "gemini",
  "opencode",
  "acp",
  "synthetic",
] as const
export const AgentType = z.enum(AGENT_TYPES)
export type AgentType = z.infer<typeof AgentType>

export const AgentMode = z.enum(["plan", "ask", "edits", "auto"])
export type AgentMode = z.infer<typeof AgentMode>

export const TokenUsage = z.object({
  input: z.int().nonnegative().describe("Tokens neither read from nor written to a cache"),
  output: z.int().nonnegative(),
  cacheRead: z.int().nonnegative().default(0),
  cacheWrite: z.int().nonnegative().default(0),
})
export type TokenUsage = z.infer<typeof TokenUsage>

export const ActivityKind = z.enum([
  "read",
  "edit",
  "command",
  "search",
  "fetch",
  "agent",
  "mcp",
  "plan",
  "stage",
  "other",
])
export type ActivityKind = z.infer<typeof ActivityKind>

const id = z.string().min(1).max(200)
const parentId = id.optional().describe("The enclosing activity; absent at the top level")

/**
 * The common vocabulary of all agents' protocols. All events except `text.delta` are stored;
 * unknown output of an agent is a `message` of type system with its raw line.
 */
export const AgentEvent = z.discriminatedUnion("event", [
  z.object({
    event: z.literal("session.started"),
    sessionId: id,
    cwd: z.string(),
    model: z.string().optional(),
    version: z.string().optional(),
    mode: AgentMode.optional(),
    tools: z.array(z.string()).default([]),
  }),
  z.object({ event: z.literal("turn.started") }),
  z.object({
    event: z.literal("turn.ended"),
    outcome: z.enum(["completed", "failed", "stopped"]),
    text: z.string().default("").describe("The agent's final text"),
    error: z.string().optional(),
    turns: z.int().nonnegative().optional(),
    durationMs: z.int().nonnegative().optional(),
    denials: z.int().nonnegative().default(0).describe("Tool calls that were denied"),
  }),
  z.object({ event: z.literal("text.delta"), text: z.string(), parentId }),
  z.object({
    event: z.literal("message"),
    type: z.enum(["assistant", "user", "system", "response"]),
    text: z.string(),
    parentId,
  }),
  z.object({
    event: z.literal("activity.started"),
    activityId: id,
    parentId,
    kind: ActivityKind,
    tool: z.string().describe("The host's tool name"),
    title: z.string().describe("One-line summary"),
    input: z.string().default("").describe("Tool input, as JSON or text"),
    path: z.string().optional().describe("The affected file"),
  }),
  z.object({
    event: z.literal("activity.updated"),
    activityId: id,
    title: z.string().optional(),
    output: z.string().default("").describe("Further output"),
  }),
  z.object({
    event: z.literal("activity.ended"),
    activityId: id,
    outcome: z.enum(["done", "failed", "denied", "stopped"]),
    output: z.string().default(""),
    diff: z.string().optional().describe("Unified diff of the change"),
    durationMs: z.int().nonnegative().optional(),
    tokens: z.int().nonnegative().optional(),
    usd: z.number().nonnegative().optional().describe("Cost, if the agent reports it"),
  }),
  z.object({
    event: z.literal("approval.requested"),
    approvalId: id,
    activityId: id.optional(),
    tool: z.string(),
    title: z.string().describe("The question, in one line"),
    input: z.string(),
  }),
  z.object({
    event: z.literal("approval.resolved"),
    approvalId: id,
    decision: z.enum(["allow", "deny", "expired"]),
    by: z.string().describe("Author of the answer: a user's surface, a rule or the timeout"),
  }),
  z.object({
    event: z.literal("context.file"),
    path: z.string(),
    reason: z.string(),
    tokens: z.int().nonnegative().optional(),
  }),
  z.object({
    event: z.literal("context.usage"),
    used: z.int().nonnegative(),
    window: z.int().positive(),
    kinds: z.array(z.object({ kind: ContextKind, tokens: z.int().nonnegative() })).default([]),
  }),
  z.object({
    event: z.literal("context.compacted"),
    trigger: z.string(),
    tokensBefore: z.int().nonnegative().optional(),
    tokensAfter: z.int().nonnegative().optional(),
  }),
  z.object({
    event: z.literal("cost"),
    model: z.string().optional(),
    usage: TokenUsage,
    isTotal: z.boolean().describe("Whether usage and reportedUsd are totals of the session"),
    reportedUsd: z.number().nonnegative().optional().describe("The provider's own cost"),
    models: z
      .array(z.object({ model: z.string(), usage: TokenUsage }))
      .optional()
      .describe("By model, if several were used"),
  }),
  z.object({ event: z.literal("mode.changed"), mode: AgentMode, by: z.string() }),
  z.object({
    event: z.literal("error"),
    message: z.string(),
    code: z.string().optional(),
    isFatal: z.boolean().default(false),
  }),
])
export type AgentEvent = z.infer<typeof AgentEvent>
