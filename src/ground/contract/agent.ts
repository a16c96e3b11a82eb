import { z } from "zod"
import { ContextKind } from "./manifest.ts"

/** The agents that can be started, the user's own programs first. */
export const AGENT_TYPES = ["claude-code", "codex", "copilot", "synthetic"] as const
export const AgentType = z.enum(AGENT_TYPES)
export type AgentType = z.infer<typeof AgentType>

export const AgentMode = z.enum(["plan", "ask", "edits", "auto"])
export type AgentMode = z.infer<typeof AgentMode>

/** Tokens of one model call or of several, as a provider counts them. */
export const TokenUsage = z.object({
  input: z.int().nonnegative().describe("Neither read from a cache nor written to one"),
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
  "other",
])
export type ActivityKind = z.infer<typeof ActivityKind>

const id = z.string().min(1).max(200)
const parentId = id.optional().describe("The activity in which it happened; absent at the top")

/**
 * The one vocabulary into which every agent's protocol is mapped. All but `text.delta` are kept;
 * what an agent says that we do not know is a `message` of type system with its raw line.
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
    text: z.string().default("").describe("The agent's last word"),
    error: z.string().optional(),
    turns: z.int().nonnegative().optional(),
    durationMs: z.int().nonnegative().optional(),
    denials: z.int().nonnegative().default(0).describe("Tool calls that were not permitted"),
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
    tool: z.string().describe("The host's name of the tool"),
    title: z.string().describe("What it does, in one line"),
    input: z.string().default("").describe("What the tool was given, as JSON or text"),
    path: z.string().optional().describe("The file it is about"),
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
    diff: z.string().optional().describe("A unified diff of what it changed"),
    durationMs: z.int().nonnegative().optional(),
    tokens: z.int().nonnegative().optional(),
  }),
  z.object({
    event: z.literal("approval.requested"),
    approvalId: id,
    activityId: id.optional(),
    tool: z.string(),
    title: z.string().describe("What is asked, in one line"),
    input: z.string(),
  }),
  z.object({
    event: z.literal("approval.resolved"),
    approvalId: id,
    decision: z.enum(["allow", "deny", "expired"]),
    by: z.string().describe("Who answered: a person's surface, a rule, or the clock"),
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
    /** In this session so far, not only of this call. */
    isTotal: z.boolean().describe("Whether usage and reportedUsd are of the whole session so far"),
    reportedUsd: z.number().nonnegative().optional().describe("The provider's own figure"),
    models: z
      .array(z.object({ model: z.string(), usage: TokenUsage }))
      .optional()
      .describe("The same by model, when several were used"),
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
